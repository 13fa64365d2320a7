import Foundation
import Media
import Payloads
import Values

/// The report's row for one file.
struct ReportRow {
    private static let thumbnailEdge = 192.0
    private static let scaleEdge = 62.0

    let beforeBytes: Int?
    let afterBytes: Int?
    let milliseconds: Int?
    private(set) var context: [String: Any]

    /// Creates a row. `preview` is a JPEG.
    init(_ line: ManifestLine, preview: [UInt8]?) {
        let attachment = line.attachment
        let source = attachment?["source"]
        let outcome = line.outcome ?? .skipped
        beforeBytes = line.content?.byteCount
        afterBytes = attachment?["bytes"]?.whole
        milliseconds = line.json["timings"]?["total"]?.whole
        var context: [String: Any] = [
            "path": line.path?.text ?? "", "outcome": outcome.rawValue, "rung": attachment?["rung"]?.text ?? "",
            "placeholder": Self.placeholder(attachment, outcome),
            "errors": line.errors.map { ["message": $0["message"]?.text ?? ""] },
        ]
        context["href"] = line.output?.urlText
        context["beforeBytes"] = beforeBytes
        context["afterBytes"] = afterBytes
        if let beforeBytes, let afterBytes, let change = SizeChange(from: beforeBytes, to: afterBytes) {
            context["saved"] = "\(change.saved)"
            context["change"] = change.context
        }
        context["time"] = milliseconds.map { "\($0)" }
        context["duration"] = milliseconds.map(Self.duration)
        context["before"] = source.map(Self.side) ?? beforeBytes.map { ["size": SizeChange.size($0)] }
        context["after"] = attachment.map(Self.side)
        let (was, now) = (source.flatMap(Self.pixels), attachment.flatMap(Self.pixels))
        if let was, let now { context["scale"] = Self.scale(was, now) }
        if let preview, let size = now {
            let factor = min(1, Self.thumbnailEdge / max(size.width, size.height))
            context["preview"] = Data(preview).base64EncodedString()
            context["width"] = Int(clamping: (size.width * factor).rounded())
            context["height"] = Int(clamping: (size.height * factor).rounded())
        }
        self.context = context
    }

    /// Formats a duration as `300 ms` or `1.2 s`.
    static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1000 ? "\(milliseconds) ms" : "\((Double(milliseconds) / 1000).tenths) s"
    }

    private static func side(_ value: JSONValue) -> [String: Any] {
        var shape: [String] = []
        if let size = pixels(value) { shape.append("\(Int(clamping: size.width)) × \(Int(clamping: size.height))") }
        if let frames = value["frames"]?.whole, frames > 1, value["duration"]?.whole == nil {
            shape.append("\(frames) frames")
        }
        if let duration = value["duration"]?.whole { shape.append("\(Double(duration / 100) / 10) s") }
        let kind = value["mime"]?.text?.split(separator: "/").last.map(String.init) ?? ""
        return [
            "size": value["bytes"]?.whole.map(SizeChange.size) ?? "", "kind": kind,
            "shape": shape.joined(separator: ", "),
        ]
    }

    private static func pixels(_ value: JSONValue) -> (width: Double, height: Double)? {
        guard let width = value["width"]?.double, let height = value["height"]?.double, width > 0, height > 0 else {
            return nil
        }
        return (width, height)
    }

    private static func scale(
        _ was: (width: Double, height: Double),
        _ now: (width: Double, height: Double),
    ) -> [String: Any] {
        let factor = scaleEdge / max(was.width, was.height, now.width, now.height)
        func length(_ pixels: Double) -> String { "\((pixels * factor * 10).rounded() / 10)" }
        return [
            "wasWidth": length(was.width), "wasHeight": length(was.height), "isWidth": length(now.width),
            "isHeight": length(now.height),
        ]
    }

    private static func placeholder(_ attachment: JSONValue?, _ outcome: ManifestLine.Outcome) -> String {
        guard let mime = attachment?["mime"]?.text else { return outcome == .skipped ? "skipped" : "nothing" }
        return mime.hasPrefix("audio/") ? "♪ sound" : "no preview"
    }
}

extension JSONValue {
    /// A whole number.
    var whole: Int? { double.flatMap { Int(exactly: $0) } }
}
