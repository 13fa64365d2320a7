import CVips
import CVipsShim
import Colours
import DecoderWire
import Values

extension Picture {
    /// Returns a new picture in memory, with 8 bits in sRGB or grey.
    func mapped(from coding: ColourCoding) throws(DecodeError) -> Picture {
        let mapped = try unsafe Picture.make("map") { made in unsafe cvips_new_standard(image, &made) }
        guard let values = unsafe vips_image_get_data(image), let target = unsafe vips_image_get_data(mapped.image),
            has8Bits || has16Bits, let rowCount = SafeSize.product(width, bands)
        else { throw VipsError("map").failure }
        var row = [UInt16](repeating: 0, count: rowCount)
        let has8Bits = has8Bits
        /// Reads a row of values with 16 bits.
        func read(_ y: Int) {
            if has8Bits {
                let from = unsafe values.assumingMemoryBound(to: UInt8.self) + y * rowCount
                for index in 0..<rowCount { row[index] = unsafe UInt16(from[index]) * 257 }
            } else {
                let from = unsafe values.assumingMemoryBound(to: UInt16.self) + y * rowCount
                for index in 0..<rowCount { row[index] = unsafe from[index] }
            }
        }
        var mapping = ColourMapping(from: coding)
        if coding.transfer.isHighDynamicRange {
            var counts = ColourMapping.noCounts
            for y in 0..<height {
                read(y)
                mapping.count(row, bands: bands, into: &counts)
            }
            mapping = ColourMapping(from: coding, peak: mapping.peak(of: counts))
        }
        for y in 0..<height {
            read(y)
            let to = unsafe UnsafeMutableRawPointer(mutating: target).assumingMemoryBound(to: UInt8.self) + y * rowCount
            unsafe mapping.map(row, to, count: width, bands: bands)
        }
        return mapped
    }
}
