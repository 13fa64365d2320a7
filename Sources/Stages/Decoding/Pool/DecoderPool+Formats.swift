import Events
package import Media

/// The formats and codecs that are switched off.
extension DecoderPool {
    package var disabled: DisabledFormats { configuration.formats.disabled }

    /// Returns the failure of every source of `format` if it is switched off, and `nil` otherwise. Records a refusal.
    package func refusal(of format: MediaFormat) -> AttachmentFailure? {
        guard disabled.refuses(format) else { return nil }
        recordRefusal(of: format)
        return .disabled(format)
    }

    func recordRefusal(of format: MediaFormat) { configuration.instrument.record(.formatRefused(format)) }

    /// Ends the decoder processes of sources that may have something that is switched off from now on. Their jobs begin
    /// again, and find out.
    func followFormats() {
        configuration.formats.onChange { [runningFormats, instrument = configuration.instrument] change in
            instrument.record(.formatsChanged(change))
            for format in runningFormats.stop(change.switchedOff) { instrument.record(.formatStopped(format)) }
        }
    }
}
