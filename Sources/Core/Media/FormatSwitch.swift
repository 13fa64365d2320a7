import Synchronization

/// The formats and codecs that are switched off at the moment, for all parts of a process.
///
/// They come from two lists: the operator's own settings, and the list that the fleet shares. What is in either of them
/// is off, so a shared list can never switch on what the settings switch off.
package final class FormatSwitch: Sendable {
    /// The lists at one moment.
    package struct Lists: Sendable, Equatable {
        package var settings = DisabledFormats()
        package var fleet = DisabledFormats()

        /// The formats and codecs that are off.
        package var disabled: DisabledFormats { settings.union(fleet) }

        package init(settings: DisabledFormats = DisabledFormats(), fleet: DisabledFormats = DisabledFormats()) {
            self.settings = settings
            self.fleet = fleet
        }
    }

    /// A change of what is off.
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
    package func replace(settings: DisabledFormats) -> Bool { replace { $0.settings = settings } }

    /// Replaces the list that the fleet shares. Returns whether it is another one.
    @discardableResult
    package func replace(fleet: DisabledFormats) -> Bool { replace { $0.fleet = fleet } }

    private func replace(_ replace: (inout Lists) -> Void) -> Bool {
        let (before, after, receivers) = state.withLock { state in
            let before = state.lists
            replace(&state.lists)
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
