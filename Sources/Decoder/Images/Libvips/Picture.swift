import CVips
import CVipsShim
import DecoderWire

/// A reference to one libvips image, released when the value goes out of scope.
///
/// Operations are lazy: a picture is only a description until it is rendered, and keeps the pictures that it is made
/// from.
@safe
struct Picture: ~Copyable {
    /// The libvips image. Only the extensions of this type that wrap libvips' operations use it.
    let image: UnsafeMutablePointer<VipsImage>

    private init(adopting image: UnsafeMutablePointer<VipsImage>) { unsafe self.image = image }

    deinit { unsafe g_object_unref(image) }

    /// Returns the picture that `operation` stores in its argument, or throws libvips' error.
    static func make(
        _ name: String,
        _ operation: (inout UnsafeMutablePointer<VipsImage>?) -> Int32,
    ) throws(DecodeError) -> Picture {
        var made: UnsafeMutablePointer<VipsImage>?
        guard unsafe operation(&made) == 0, let made = unsafe made else { throw VipsError(name).failure }
        return unsafe Picture(adopting: made)
    }

    /// Returns another reference to the same image.
    func shared() -> Picture {
        unsafe g_object_ref(image)
        return unsafe Picture(adopting: image)
    }

    var width: Int { unsafe Int(vips_image_get_width(image)) }
    var height: Int { unsafe Int(vips_image_get_height(image)) }
    var size: PixelSize { PixelSize(width: width, height: height) }
    var bands: Int { unsafe Int(vips_image_get_bands(image)) }
    var hasAlpha: Bool { unsafe vips_image_hasalpha(image) != 0 }
    var has8Bits: Bool { unsafe vips_image_get_format(image) == VIPS_FORMAT_UCHAR }
    var has16Bits: Bool { unsafe vips_image_get_format(image) == VIPS_FORMAT_USHORT }
    var interpretation: VipsInterpretation { unsafe vips_image_guess_interpretation(image) }

    /// A copy of the values of a picture in memory with 8 bits, band by band.
    var pixels: [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: vips_image_get_data(image), count: width * height * bands))
    }

    // MARK: Metadata

    func integer(_ field: String) -> Int? {
        var value: Int32 = 0
        guard unsafe vips_image_get_typeof(image, field) != 0, unsafe vips_image_get_int(image, field, &value) == 0
        else { return nil }
        return Int(value)
    }

    func integers(_ field: String) -> [Int] {
        var values: UnsafeMutablePointer<Int32>?
        var count: Int32 = 0
        guard unsafe vips_image_get_typeof(image, field) != 0,
            unsafe vips_image_get_array_int(image, field, &values, &count) == 0
        else { return [] }
        return unsafe UnsafeBufferPointer(start: values, count: Int(count)).map(Int.init)
    }

    func string(_ field: String) -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe vips_image_get_typeof(image, field) != 0, unsafe vips_image_get_string(image, field, &text) == 0,
            let text = unsafe text
        else { return nil }
        return unsafe String(cString: text)
    }

    func blob(_ field: String) -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard unsafe vips_image_get_typeof(image, field) != 0,
            unsafe vips_image_get_blob(image, field, &bytes, &count) == 0
        else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
