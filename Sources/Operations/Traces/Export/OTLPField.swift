/// A field of an OTLP message, with its number for protobuf and its name for JSON. So the two encodings cannot tell
/// different things.
struct OTLPField {
    enum Value {
        case text(String)
        /// Bytes in protobuf, hexadecimal in JSON (OTLP, "JSON Protobuf Encoding").
        case identifier([UInt8])
        /// `fixed64`: nanoseconds since 1970.
        case time(UInt64)
        /// `fixed32`.
        case flags(UInt32)
        /// `int64`.
        case integer(Int64)
        /// `uint32`, or the number of a case of an `enum`.
        case count(UInt32)
        /// `double`.
        case number(Double)
        case flag(Bool)
        case message([OTLPField])
        case list([[OTLPField]])
    }

    var number: Int
    var name: String
    var value: Value

    init(_ number: Int, _ name: String, _ value: Value) {
        self.number = number
        self.name = name
        self.value = value
    }
}
