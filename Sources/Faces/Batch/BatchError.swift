/// An error that keeps a batch from beginning or continuing. The message says what to do.
package struct BatchError: Error, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        case usage, inputNotFound, cannotWrite
    }

    package var cause: Cause
    package var description: String

    init(_ cause: Cause, _ message: String) {
        self.cause = cause
        description = message
    }
}
