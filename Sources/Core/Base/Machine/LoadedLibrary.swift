import CProcess
import Glibc

/// A library that this process has loaded and that handles data from outside.
package struct LoadedLibrary: Sendable, Equatable {
    package var name: String
    /// The version that the library reports; `nil` if it does not report one.
    package var version: String?
    package var path: String

    package init(name: String, version: String?, path: String) {
        self.name = name
        self.version = version
        self.path = path
    }

    /// The function that tells a library's version.
    private enum Teller {
        /// A function that returns a text and has no arguments, or ignores a null or zero.
        case text(String)
        /// A function that returns the parts of the version as bytes of a number, the last one lowest.
        case bytes(String)
        case none
    }

    private static let tellers: [(name: String, teller: Teller)] = [
        ("libvips", .text("vips_version_string")), ("libheif", .text("heif_get_version")),
        ("libde265", .text("de265_get_version")), ("libdav1d", .text("dav1d_version")),
        ("libaom", .text("aom_codec_version_str")), ("libjpeg", .none), ("libpng16", .text("png_get_libpng_ver")),
        ("libwebp", .bytes("WebPGetDecoderVersion")), ("libwebpdemux", .bytes("WebPGetDemuxVersion")),
        ("libtiff", .text("TIFFGetVersion")), ("liblcms2", .none), ("libexif", .none), ("libcgif", .none),
        ("libavformat", .bytes("avformat_version")), ("libavcodec", .bytes("avcodec_version")),
        ("libavutil", .bytes("avutil_version")), ("libswscale", .bytes("swscale_version")),
        ("libswresample", .bytes("swresample_version")), ("libx264", .none),
        ("libvpx", .text("vpx_codec_version_str")), ("libopus", .text("opus_get_version_string")),
        ("libz", .text("zlibVersion")), ("libseccomp", .none), ("libcurl", .text("curl_version")),
        ("libssl", .none), ("libcrypto", .text("OpenSSL_version")), ("libpsl", .text("psl_get_version")),
        // Its function takes a pointer, which a teller does not give.
        ("libcares", .none), ("libsqlite3", .text("sqlite3_libversion")),
    ]

    /// The known libraries that this process has loaded, in a fixed order.
    package static var ofThisProcess: [LoadedLibrary] {
        let paths = loadedPaths
        return tellers.flatMap { name, teller in
            paths.filter { isPath($0, of: name) }
                .map { LoadedLibrary(name: name, version: version(at: $0, teller), path: $0) }
        }
    }

    private static func isPath(_ path: String, of name: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix(name + ".so") == true
    }

    private static var loadedPaths: [String] {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = unsafe cprocess_loaded_libraries(buffer.baseAddress, buffer.count)
        }
        return bytes.split(separator: 0).map { String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }

    private static func version(at path: String, _ teller: Teller) -> String? {
        // A library that is loaded already. Its symbols may be visible to its own users only.
        guard let library = unsafe dlopen(path, RTLD_NOLOAD | RTLD_LAZY) else { return nil }
        defer { unsafe dlclose(library) }
        switch teller {
        case .none: return nil
        case .text(let name):
            guard let symbol = unsafe dlsym(library, name) else { return nil }
            // A function that takes no argument ignores the null.
            typealias Function = @convention(c) (Int) -> UnsafePointer<CChar>?
            guard let text = unsafe unsafeBitCast(symbol, to: Function.self)(0) else { return nil }
            let line = unsafe String(cString: text).split(separator: "\n").first
            return line.map { String($0.prefix(60)) }
        case .bytes(let name):
            guard let symbol = unsafe dlsym(library, name) else { return nil }
            typealias Function = @convention(c) () -> UInt32
            let number = unsafe unsafeBitCast(symbol, to: Function.self)()
            return "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
        }
    }
}

extension LoadedLibrary {
    /// The library as a line of text, for another process.
    package var line: String { "\(name)\t\(version ?? "")\t\(path)" }

    /// Reads a line; `nil` if it is not one.
    package init?(line: String) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, parts[2].hasPrefix("/") else { return nil }
        self.init(name: parts[0], version: parts[1].isEmpty ? nil : parts[1], path: parts[2])
    }
}
