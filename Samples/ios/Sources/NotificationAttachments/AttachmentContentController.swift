#if canImport(UIKit)
import AVFoundation
import Foundation
import ImageIO
import UIKit
import UserNotifications
import UserNotificationsUI

/// A content extension that shows a notification's texts and attachments, and answers its actions.
open class AttachmentContentController: UIViewController, @preconcurrency UNNotificationContentExtension,
    UITextFieldDelegate
{
    public typealias Option = UNNotificationContentExtensionResponseOption

    /// The actions for which a text field opens above the keyboard.
    open var textActions: Set<String> { [] }

    /// Handles an action, and says what becomes of the notification.
    open func respond(to action: String, text: String?) async -> Option { .dismissAndForwardAction }

    let stack = UIStackView()
    private let field = UITextField()
    private let files = ScopedFiles(
        start: { $0.startAccessingSecurityScopedResource() },
        stop: { $0.stopAccessingSecurityScopedResource() }
    )
    private var player: (player: AVPlayer, layer: AVPlayerLayer, view: UIView, end: any NSObjectProtocol)?
    private lazy var responses = Responses(
        asksForText: { [weak self] in self?.textActions.contains($0) == true },
        showField: { [weak self] in self?.showField($0) },
        answer: { [weak self] in await self?.respond(to: $0, text: $1) ?? .dismissAndForwardAction }
    )

    override open func loadView() {
        (stack.axis, stack.spacing, stack.isLayoutMarginsRelativeArrangement) = (.vertical, 8, true)
        (field.borderStyle, field.returnKeyType, field.delegate) = (.roundedRect, .send, self)
        field.frame = CGRect(x: 0, y: 0, width: 0, height: 44)
        view = stack
    }

    // MARK: What is shown

    open func didReceive(_ notification: UNNotification) {
        let content = notification.request.content
        clear()
        add(content.title, .headline)
        add(content.subtitle, .subheadline)
        add(content.body, .body)
        for attachment in content.attachments {
            guard let type = MediaType.named(attachment.type) ?? .named(attachment.url.pathExtension) else { continue }
            if type.kind == .image {
                addPicture(files.read(attachment.url), isAnimated: type.fileExtension == "gif")
            } else if player == nil {
                addPlayer(attachment.url)
            }
        }
    }

    override open func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        if let player { player.layer.frame = player.view.bounds }
    }

    override open func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        responses.cancel()
        clear()
    }

    private func clear() {
        stack.arrangedSubviews.forEach { $0.removeFromSuperview() }
        player?.player.pause()
        player.map { NotificationCenter.default.removeObserver($0.end) }
        player = nil
        files.release()
    }

    private func add(_ text: String, _ style: UIFont.TextStyle) {
        let label = UILabel()
        (label.text, label.font, label.numberOfLines) = (text, .preferredFont(forTextStyle: style), 0)
        if !text.isEmpty { stack.addArrangedSubview(label) }
    }

    private func add(_ view: UIView, heightToWidth ratio: CGFloat) {
        stack.addArrangedSubview(view)
        view.heightAnchor.constraint(equalTo: view.widthAnchor, multiplier: ratio).isActive = true
    }

    private func addPicture(_ data: Data?, isAnimated: Bool) {
        guard let data, let image = UIImage(data: data), image.size.width > 0 else { return }
        let view = UIImageView(image: image)
        add(view, heightToWidth: image.size.height / image.size.width)
        guard isAnimated else { return }
        // ImageIO calls the block on the main queue for each frame.
        CGAnimateImageDataWithBlock(data as CFData, nil) { [weak view] _, frame, stop in
            view?.image = UIImage(cgImage: frame)
            if view == nil { stop.pointee = true }
        }
    }

    // MARK: What plays

    /// Adds a movie or sound, which the system's button plays.
    private func addPlayer(_ url: URL) {
        files.hold(url)
        let player = AVPlayer(url: url), layer = AVPlayerLayer(player: player), screen = UIView()
        screen.layer.addSublayer(layer)
        add(screen, heightToWidth: 9 / 16)
        let end = NotificationCenter.default.addObserver(
            forName: AVPlayerItem.didPlayToEndTimeNotification,
            object: player.currentItem,
            queue: .main
        ) { [weak self] _ in MainActor.assumeIsolated { self?.rewind() } }
        self.player = (player, layer, screen, end)
    }

    private func rewind() {
        player?.player.seek(to: .zero)
        extensionContext?.mediaPlayingPaused()
    }

    open var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType {
        player == nil ? .none : .overlay
    }

    open var mediaPlayPauseButtonFrame: CGRect {
        guard let screen = player?.view else { return .zero }
        return screen.convert(
            CGRect(x: screen.bounds.midX - 30, y: screen.bounds.midY - 30, width: 60, height: 60),
            to: view
        )
    }

    open var mediaPlayPauseButtonTintColor: UIColor { .white }

    open func mediaPlay() { player?.player.play() }

    open func mediaPause() { player?.player.pause() }

    // MARK: What a person answers

    public func didReceive(_ response: UNNotificationResponse, completionHandler completion: @escaping (Option) -> Void)
    {
        let text = (response as? UNTextInputNotificationResponse)?.userText
        responses.receive(response.actionIdentifier, text: text, complete: completion)
    }

    override open var canBecomeFirstResponder: Bool { !textActions.isEmpty }

    override open var inputAccessoryView: UIView? { field }

    private func showField(_ isShown: Bool) {
        field.text = nil
        // The controller brings the field along as its accessory, and the field then takes the text.
        for responder in [self, field] {
            _ = isShown ? responder.becomeFirstResponder() : responder.resignFirstResponder()
        }
    }

    public func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        responses.send(textField.text ?? "")
        return true
    }
}
#endif
