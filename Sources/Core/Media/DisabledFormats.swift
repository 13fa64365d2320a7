import Synchronization

/// The input formats and codecs that are switched off: no source of such a format reaches a decoder, and no decoder of
/// such a codec is opened.
///
/// A name that is both a format and a codec, such as `mp3`, means both.
package struct DisabledFormats: Sendable, Hashable {
    package private(set) var formats: Set<MediaFormat> = []
    package private(set) var codecs: Set<MediaCodec> = []

    /// All names, formats before codecs.
    package static let allNames =
        MediaFormat.allCases.map(\.rawValue)
        + MediaCodec.allCases.map(\.rawValue).filter { MediaFormat(rawValue: $0) == nil }

    package init() {}

    package init(formats: Set<MediaFormat>, codecs: Set<MediaCodec>) {
        self.formats = formats
        self.codecs = codecs
    }

    /// Creates the set with these names and returns the names that are neither a format nor a codec.
    package static func reading(_ names: some Sequence<String>) -> (disabled: DisabledFormats, unknown: [String]) {
        var disabled = DisabledFormats()
        let unknown = names.filter { name in
            let format = MediaFormat.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
            let codec = MediaCodec(rawValue: name.lowercased())
            if let format { disabled.formats.insert(format) }
            if let codec { disabled.codecs.insert(codec) }
            return format == nil && codec == nil
        }
        return (disabled, unknown)
    }

    /// The names, in the order of `allNames`.
    package var names: [String] {
        let names = Set(formats.map(\.rawValue)).union(codecs.map(\.rawValue))
        return Self.allNames.filter(names.contains)
    }

    package var isEmpty: Bool { formats.isEmpty && codecs.isEmpty }

    /// Returns whether every source of this format is refused.
    package func refuses(_ format: MediaFormat) -> Bool {
        formats.contains(format) || format.ownCodec.map(codecs.contains) == true
    }

    package func refuses(_ codec: MediaCodec) -> Bool { codecs.contains(codec) }

    /// Returns whether a source of this format may be refused, for itself or for a part of it.
    package func mayConcern(_ format: MediaFormat) -> Bool {
        if refuses(format) { return true }
        guard format.kind == .image else { return !codecs.isEmpty }
        // The thumbnail in EXIF data is a JPEG, and the data in a TIFF may be one or a WebP.
        if formats.contains(.jpeg) || format == .tiff && formats.contains(.webp) { return true }
        return [.heic, .avif].contains(format) && !codecs.isDisjoint(with: [.hevc, .av1])
    }

    package func union(_ other: DisabledFormats) -> DisabledFormats {
        DisabledFormats(formats: formats.union(other.formats), codecs: codecs.union(other.codecs))
    }

    package func subtracting(_ other: DisabledFormats) -> DisabledFormats {
        DisabledFormats(formats: formats.subtracting(other.formats), codecs: codecs.subtracting(other.codecs))
    }
}

// MARK: - The lists of a process

/// The formats and codecs that are switched off at the moment, for all parts of a process.
///
/// They come from two lists: the operator's own settings, and the list that the fleet shares. A format in either list
/// is off, so the shared list cannot switch on a format that the settings switch off.
package final class FormatSwitch: Sendable {
    /// The lists at one moment.
    package struct Lists: Sendable, Equatable {
        package var settings = DisabledFormats()
        package var fleet = DisabledFormats()

        /// The formats and codecs that are off.
        package var disabled: DisabledFormats { settings.union(fleet) }
    }

    /// A change of the disabled formats and codecs.
    package struct Change: Sendable, Equatable {
        package var switchedOff: DisabledFormats
        package var switchedOn: DisabledFormats
        /// Everything that is off now.
        package var disabled: DisabledFormats
    }

    /// A receiver of changes. It is called while no lock is held, after the change has taken effect.
    package typealias Receiver = @Sendable (Change) -> Void

    private struct State {
        var lists: Lists
        var receivers: [Receiver] = []
        var fleetReplacements = 0
    }

    private let state: Mutex<State>

    package init(settings: DisabledFormats = DisabledFormats()) {
        state = Mutex(State(lists: Lists(settings: settings)))
    }

    package var lists: Lists { state.withLock(\.lists) }

    /// The formats and codecs that are off.
    package var disabled: DisabledFormats { lists.disabled }

    /// Calls `receiver` after every later change.
    package func onChange(_ receiver: @escaping Receiver) { state.withLock { $0.receivers.append(receiver) } }

    /// Replaces the list of the settings. Returns whether it is another one.
    @discardableResult
    package func replace(settings: DisabledFormats) -> Bool { replace { $0.lists.settings = settings } }

    /// The number of times that the list that the fleet shares was replaced.
    package var fleetReplacements: Int { state.withLock(\.fleetReplacements) }

    /// Replaces the list that the fleet shares, unless it was replaced since `replacements` was read: then `disabled` is
    /// older than the list. Returns whether it is another one.
    @discardableResult
    package func replace(fleet disabled: DisabledFormats, readSince replacements: Int? = nil) -> Bool {
        replace { state in
            if let replacements, replacements != state.fleetReplacements { return }
            state.fleetReplacements += 1
            state.lists.fleet = disabled
        }
    }

    private func replace(_ replace: (inout State) -> Void) -> Bool {
        let (before, after, receivers) = state.withLock { state in
            let before = state.lists
            replace(&state)
            return (before, state.lists, state.receivers)
        }
        let change = Change(
            switchedOff: after.disabled.subtracting(before.disabled),
            switchedOn: before.disabled.subtracting(after.disabled),
            disabled: after.disabled,
        )
        if before.disabled != after.disabled { for receiver in receivers { receiver(change) } }
        return before != after
    }
}

extension AttachmentFailure {
    /// The failure of a source whose format is switched off.
    package static func disabled(_ format: MediaFormat) -> AttachmentFailure {
        AttachmentFailure(
            .decode,
            .disabled,
            "Sources of the format \(format.rawValue) are switched off here. The operator can switch them on: formats.disabled.",
        )
    }
}
