import CVips
import DecoderWire
import Media

/// Makes a still picture of one frame, rung by rung.
struct StillConversion {
    /// Less of a picture than this says too little to be shown.
    private static let leastRows = 1.0 / 3
    /// From here on a quick version is worth making before the good one: it takes longer than a fifth of a second.
    private static let slowPixels = 20_000_000

    let request: ConversionRequest
    let source: any SourceBytes
    let header: PictureHeader
    let publisher: RungPublisher

    func run() throws(DecodeFailure) {
        let shape = StillShape(of: header, rules: request.image)
        if publisher.wants(.fast), !publisher.wants(.downscaled) || header.storedSize.pixels > Self.slowPixels {
            try make(.fast, shape, shrink: shape.fastShrink)
        }
        guard publisher.wants(.downscaled) || publisher.wants(.partial), !source.timeWillExpire else { return }
        try make(.downscaled, shape, shrink: shape.shrink)
    }

    /// Makes the first frame as `rung`, or as `.partial` if the source ends before the frame does.
    func make(_ rung: Rung, _ shape: StillShape, shrink: Int) throws(DecodeFailure) {
        let bytes = PictureSource(source)
        var loader = PictureLoader(format: header.format, shrink: shrink)
        if !loader.isStreamed { loader.failOn = VIPS_FAIL_ON_TRUNCATED }
        let shaped = try shape.apply(to: loader.open(bytes))
        let isStreamed = loader.isStreamed
        let rendered = try shaped.rendered { rows in
            if publisher.hasPublished, source.timeWillExpire { return false }
            return !isStreamed || !bytes.reachedEnd
        }
        if rendered.isComplete {
            guard publisher.wants(rung) else { return }
            return try publish(rung, rendered.picture, shape)
        }
    }

    private func publish(_ rung: Rung, _ picture: borrowing Picture, _ shape: StillShape) throws(DecodeFailure) {
        let upright = try picture.upright(from: shape.orientation)
        let encoded = try StillEncoder(rules: request.image).encode(upright)
        try publisher.publish(rung, encoded)
    }
}
