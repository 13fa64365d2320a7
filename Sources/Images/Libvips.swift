import CVips
import CVipsShim
package import DecoderWire
import Media

/// libvips as this process uses it.
package enum Libvips {
    /// Starts libvips, once, before anything else in this module: no cache, one thread, no code made at run time,
    /// nothing logged, and every loader and saver blocked but those that this module calls by name.
    ///
    /// `VIPSHOME` decides which plugin modules are loaded; only the HEIF one is of use.
    package static func start() throws(DecodeFailure) {
        guard cvips_start() == 0 else {
            throw DecodeFailure(.decoderUnavailable, VipsError("start").failure.detail)
        }
    }
}
