// Declarations of Apple's AVFoundation for type-checking on Linux; nothing of it goes into an app.

public import Foundation
public import UIKit

/// Core Media's time, which AVFoundation brings along.
public struct CMTime: Sendable { public static let zero = CMTime() }

@MainActor open class AVPlayer: NSObject {
    public init(url URL: URL) {}
    open var currentItem: AVPlayerItem? { nil }
    open func play() {}
    open func pause() {}
    open func seek(to time: CMTime) {}
}

@MainActor open class AVPlayerItem: NSObject {
    public nonisolated static let didPlayToEndTimeNotification = Notification.Name(
        "AVPlayerItemDidPlayToEndTimeNotification"
    )
}

open class AVPlayerLayer: CALayer {
    public convenience init(player: AVPlayer?) { self.init() }
}
