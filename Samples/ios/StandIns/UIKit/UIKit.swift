// Declarations of Apple's UIKit for type-checking on Linux; nothing of it goes into an app.
// Only what the package uses. Nothing is drawn.

public import Foundation

/// Core Animation's layer, which UIKit brings along.
open class CALayer: NSObject {
    open var frame = CGRect.zero
    open func addSublayer(_ layer: CALayer) {}
}

/// Core Graphics' picture, which UIKit brings along.
public final class CGImage {}

/// Foundation has this class only on Apple's platforms.
open class NSExtensionContext: NSObject {}

@MainActor open class UIResponder: NSObject {
    open var canBecomeFirstResponder: Bool { false }
    open var inputAccessoryView: UIView? { nil }
    @discardableResult open func becomeFirstResponder() -> Bool { false }
    @discardableResult open func resignFirstResponder() -> Bool { false }
}

@MainActor open class UIViewController: UIResponder {
    open var view = UIView()
    open var extensionContext: NSExtensionContext? { nil }
    open func viewDidLoad() {}
    open func viewDidLayoutSubviews() {}
    open func viewDidDisappear(_ animated: Bool) {}
}

@MainActor open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill }

    open var frame = CGRect.zero
    open var bounds = CGRect.zero
    open var contentMode = ContentMode.scaleToFill
    open var translatesAutoresizingMaskIntoConstraints = true
    public let layer = CALayer()
    public let heightAnchor = NSLayoutDimension()
    public let widthAnchor = NSLayoutDimension()
    public let topAnchor = NSLayoutYAxisAnchor()
    public let bottomAnchor = NSLayoutYAxisAnchor()
    public let leadingAnchor = NSLayoutXAxisAnchor()
    public let trailingAnchor = NSLayoutXAxisAnchor()

    public init(frame: CGRect = .zero) { self.frame = frame }
    open func addSubview(_ view: UIView) {}
    open func removeFromSuperview() {}
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
}

@MainActor open class NSLayoutConstraint: NSObject {
    open class func activate(_ constraints: [NSLayoutConstraint]) {}
    open var isActive = false
}

@MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}

@MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

@MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    open func constraint(equalTo anchor: NSLayoutDimension, multiplier: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}
