// Declarations of Apple's UserNotificationsUI for type-checking on Linux; nothing of it goes into an app.
// The protocol's optional requirements have empty implementations here, because only Objective-C has optional ones.

import Foundation
public import UIKit
public import UserNotifications

public enum UNNotificationContentExtensionMediaPlayPauseButtonType: UInt, Sendable { case none, `default`, overlay }

public enum UNNotificationContentExtensionResponseOption: UInt, Sendable {
    case doNotDismiss, dismiss, dismissAndForwardAction
}

public protocol UNNotificationContentExtension: NSObjectProtocol {
    func didReceive(_ notification: UNNotification)
    func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void,
    )
    var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { get }
    var mediaPlayPauseButtonFrame: CGRect { get }
    var mediaPlayPauseButtonTintColor: UIColor { get }
    func mediaPlay()
    func mediaPause()
}

extension UNNotificationContentExtension {
    public func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void,
    ) {}
    public var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { .none }
    public var mediaPlayPauseButtonFrame: CGRect { .zero }
    public var mediaPlayPauseButtonTintColor: UIColor { .tintColor }
    public func mediaPlay() {}
    public func mediaPause() {}
}

extension NSExtensionContext {
    public func mediaPlayingStarted() {}
    public func mediaPlayingPaused() {}
}
