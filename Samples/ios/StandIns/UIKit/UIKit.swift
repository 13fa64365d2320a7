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
    open func loadView() {}
    open func viewDidLayoutSubviews() {}
    open func viewDidDisappear(_ animated: Bool) {}
}

@MainActor open class UIView: UIResponder {
    open var frame = CGRect.zero
    open var bounds = CGRect.zero
    public let layer = CALayer()
    public let heightAnchor = NSLayoutDimension()
    public let widthAnchor = NSLayoutDimension()
    /// The stack that shows the view.
    weak var stack: UIStackView?

    public init(frame: CGRect = .zero) { self.frame = frame }
    open func removeFromSuperview() { stack?.arrangedSubviews.removeAll { $0 === self } }
    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
}

@MainActor open class NSLayoutConstraint: NSObject {
    public enum Axis: Int, Sendable { case horizontal, vertical }
    open var isActive = false
}

@MainActor open class NSLayoutDimension: NSObject {
    open func constraint(equalTo anchor: NSLayoutDimension, multiplier: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}
