// Declarations of Apple's UIKit for type-checking on Linux; nothing of it goes into an app.

public import Foundation

open class UIColor: NSObject, @unchecked Sendable {
    open class var tintColor: UIColor { UIColor() }
    open class var white: UIColor { UIColor() }
}

open class UIFont: NSObject, @unchecked Sendable {
    public struct TextStyle: Sendable {
        public static let headline = TextStyle()
        public static let subheadline = TextStyle()
        public static let body = TextStyle()
    }
    open class func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

open class UIImage: NSObject, @unchecked Sendable {
    /// A square here, whatever the data.
    open var size: CGSize { CGSize(width: 1, height: 1) }
    public init?(data: Data) {}
    public init(cgImage: CGImage) {}
}

@MainActor open class UILabel: UIView {
    open var text: String?
    open var font = UIFont.preferredFont(forTextStyle: .body)
    open var numberOfLines = 1
}

@MainActor open class UIImageView: UIView {
    open var image: UIImage?
    public init(image: UIImage?) {
        super.init()
        self.image = image
    }
}

@MainActor open class UIStackView: UIView {
    open var axis = NSLayoutConstraint.Axis.horizontal
    open var spacing: CGFloat = 0
    open var isLayoutMarginsRelativeArrangement = false
    public internal(set) var arrangedSubviews: [UIView] = []
    open func addArrangedSubview(_ view: UIView) {
        arrangedSubviews.append(view)
        view.stack = self
    }
}

@MainActor public protocol UITextFieldDelegate: NSObjectProtocol {
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

public enum UIReturnKeyType: Int, Sendable { case `default`, send }

@MainActor open class UITextField: UIView {
    public enum BorderStyle: Int, Sendable { case none, roundedRect }
    open var text: String?
    open var placeholder: String?
    open var borderStyle = BorderStyle.none
    open var returnKeyType = UIReturnKeyType.default
    open weak var delegate: (any UITextFieldDelegate)?
}
