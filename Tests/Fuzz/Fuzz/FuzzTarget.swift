/// The fuzz targets: every parser in the worker that reads bytes from outside.
enum FuzzTarget: String, CaseIterable {
    case json, payload, envelope, pointer, media, wire, conversation, url, address, duration, redis
    case preview, manifest, result, body, cookies

    func run(_ bytes: [UInt8]) {
        switch self {
        case .json: PayloadTargets.json(bytes)
        case .payload: PayloadTargets.payload(bytes)
        case .envelope: PayloadTargets.envelope(bytes)
        case .pointer: PayloadTargets.pointer(bytes)
        case .media: MediaTargets.media(bytes)
        case .duration: MediaTargets.duration(bytes)
        case .wire: WireTargets.wire(bytes)
        case .conversation: WireTargets.conversation(bytes)
        case .url: AddressTargets.url(bytes)
        case .address: AddressTargets.address(bytes)
        case .redis: RedisTargets.replies(bytes)
        case .preview: PageTargets.preview(bytes)
        case .manifest: PageTargets.manifest(bytes)
        case .result: PageTargets.result(bytes)
        case .body: BodyTargets.body(bytes)
        case .cookies: BodyTargets.cookies(bytes)
        }
    }
}

/// The target to run. It is global because libFuzzer calls a C function with nothing but bytes.
nonisolated(unsafe) var current = FuzzTarget.json

let testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { bytes, count in
    unsafe current.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
