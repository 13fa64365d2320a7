import Foundation
import UIKit

@testable import NotificationAttachments

// In a file of its own: a file that imports Testing, too, would need Testing's part for UIKit, which Linux lacks.
extension AttachmentContentController {
    /// The contents of the stack: the text of a label, or else the view's type.
    var shown: [String] { stack.arrangedSubviews.map { ($0 as? UILabel)?.text ?? "\(type(of: $0))" } }

    /// The text in the field above the keyboard.
    var fieldText: String? {
        get { (inputAccessoryView as? UITextField)?.text }
        set { (inputAccessoryView as? UITextField)?.text = newValue }
    }

    /// Presses the key that sends.
    func send() -> Bool { (inputAccessoryView as? UITextField).map(textFieldShouldReturn) ?? false }

    func makeRoomForPlayer(width: CGFloat, height: CGFloat) {
        stack.arrangedSubviews.last?.bounds = CGRect(x: 0, y: 0, width: width, height: height)
        viewDidLayoutSubviews()
    }
}
