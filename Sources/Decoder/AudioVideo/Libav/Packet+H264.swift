import CLibav

extension Packet {
    /// Returns `true` if a decoder can start here, whatever came before: the packet has an IDR picture and not only an
    /// I picture (ITU-T H.264, 7.4.1). libav calls both key frames; phones show grey after the second kind.
    func startsH264Sequence(of stream: MediaStream) -> Bool {
        guard let data = unsafe pointer.pointee.data else { return false }
        let bytes = unsafe UnsafeBufferPointer(start: data, count: byteCount)
        let extra = unsafe stream.parameters.pointee
        guard unsafe extra.extradata_size > 4, let header = unsafe extra.extradata, unsafe header[0] == 1 else {
            return unsafe bytes.unitTypesAfterStartCodes.contains(5)
        }
        return unsafe bytes.unitTypes(lengthSize: Int(header[4] & 3) + 1).contains(5)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the types of the units, which follow their lengths (ISO/IEC 14496-15).
    fileprivate func unitTypes(lengthSize: Int) -> [UInt8] {
        var types: [UInt8] = []
        var offset = 0
        while offset + lengthSize < count {
            var length = 0
            for index in offset..<offset + lengthSize { length = unsafe length << 8 | Int(self[index]) }
            unsafe types.append(self[offset + lengthSize] & 0x1F)
            guard length <= count - offset - lengthSize else { break }
            offset += lengthSize + length
        }
        return types
    }

    /// The types of the units, which follow the start code 00 00 01 (ITU-T H.264, annex B).
    fileprivate var unitTypesAfterStartCodes: [UInt8] {
        var types: [UInt8] = []
        var zeros = 0
        for index in 0..<count {
            let byte = unsafe self[index]
            if byte == 1, zeros >= 2, index + 1 < count { unsafe types.append(self[index + 1] & 0x1F) }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return types
    }
}
