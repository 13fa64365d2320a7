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
    /// The actions for which a text field opens above the keyboard.
    open var textActions: Set<String> { [] }

    /// Handles an action, and says what becomes of the notification.
    open func respond(to action: String, text: String?) async -> UNNotificationContentExtensionResponseOption {
        .dismissAndForwardAction
    }

    private let stack = UIStackView()
    private let field = UITextField()
    private let files = ScopedFiles(
        start: { $0.startAccessingSecurityScopedResource() },
        stop: { $0.stopAccessingSecurityScopedResource() }
    )
    private var player: (player: AVPlayer, layer: AVPlayerLayer, view: UIView)?
    /// What watches for the end of the movie or sound.
    private var end: (any NSObjectProtocol)?
    private lazy var responses = Responses(
        asksForText: { [weak self] in self?.textActions.contains($0) == true },
        showField: { [weak self] in self?.showField($0) },
        answer: { [weak self] in await self?.respond(to: $0, text: $1) ?? .dismissAndForwardAction }
    )

    override open func viewDidLoad() {
        super.viewDidLoad()
        (stack.axis, stack.spacing, stack.translatesAutoresizingMaskIntoConstraints) = (.vertical, 8, false)
        (field.borderStyle, field.returnKeyType, field.delegate) = (.roundedRect, .send, self)
        field.frame = CGRect(x: 0, y: 0, width: 0, height: 44)
        view.addSubview(stack)
        NSLayoutConstraint.activate([
            stack.topAnchor.constraint(equalTo: view.topAnchor, constant: 12),
            stack.bottomAnchor.constraint(equalTo: view.bottomAnchor, constant: -12),
            stack.leadingAnchor.constraint(equalTo: view.leadingAnchor, constant: 12),
            stack.trailingAnchor.constraint(equalTo: view.trailingAnchor, constant: -12),
        ])
    }

    open func didReceive(_ notification: UNNotification) {
        let content = ExpandedContent(notification.request.content)
        clear()
        add(content.title, .headline)
        add(content.subtitle, .subheadline)
        add(content.body, .body)
        for item in content.items {
            switch item.medium {
            case .picture: addPicture(files.read(item.url), isAnimated: false)
            case .animation: addPicture(files.read(item.url), isAnimated: true)
            case .playable: addPlayer(item.url)
            }
        }
    }

    public func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
    ) {
        let text = (response as? UNTextInputNotificationResponse)?.userText
        responses.receive(response.actionIdentifier, text: text, complete: completion)
    }

    open var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType {
        player == nil ? .none : .overlay
    }

    open var mediaPlayPauseButtonFrame: CGRect {
        guard let screen = player?.view else { return .zero }
        let area = screen.convert(screen.bounds, to: view)
        return CGRect(x: area.midX - 30, y: area.midY - 30, width: 60, height: 60)
    }

    open var mediaPlayPauseButtonTintColor: UIColor { .white }

    open func mediaPlay() { player?.player.play() }

    open func mediaPause() { player?.player.pause() }

    override open func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        if let player { player.layer.frame = player.view.bounds }
    }

    override open func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        responses.cancel()
        clear()
    }

    override open var canBecomeFirstResponder: Bool { !textActions.isEmpty }

    override open var inputAccessoryView: UIView? { field }

    public func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        responses.send(textField.text ?? "")
        return true
    }

    private func showField(_ isShown: Bool) {
        field.text = nil
        if isShown { _ = (becomeFirstResponder(), field.becomeFirstResponder()) } else { field.resignFirstResponder() }
    }

    private func clear() {
        stack.arrangedSubviews.forEach { $0.removeFromSuperview() }
        player?.player.pause()
        player = nil
        end.map(NotificationCenter.default.removeObserver)
        end = nil
        files.release()
    }

    private func add(_ text: String, _ style: UIFont.TextStyle) {
        let label = UILabel()
        (label.text, label.font, label.numberOfLines) = (text, .preferredFont(forTextStyle: style), 0)
        if !text.isEmpty { stack.addArrangedSubview(label) }
    }

    private func addPicture(_ data: Data?, isAnimated: Bool) {
        guard let data, let image = UIImage(data: data), image.size.width > 0 else { return }
        let view = UIImageView(image: image)
        view.contentMode = .scaleAspectFit
        stack.addArrangedSubview(view)
        view.heightAnchor.constraint(equalTo: view.widthAnchor, multiplier: image.size.height / image.size.width)
            .isActive = true
        guard isAnimated else { return }
        CGAnimateImageDataWithBlock(data as CFData, nil) { [weak view] _, frame, stop in
            view?.image = UIImage(cgImage: frame)
            if view == nil { stop.pointee = true }
        }
    }

    /// Adds the first movie or sound. The system's button plays it.
    private func addPlayer(_ url: URL) {
        guard player == nil else { return }
        files.hold(url)
        let player = AVPlayer(url: url), layer = AVPlayerLayer(player: player), screen = UIView()
        screen.layer.addSublayer(layer)
        stack.addArrangedSubview(screen)
        screen.heightAnchor.constraint(equalTo: screen.widthAnchor, multiplier: 9 / 16).isActive = true
        self.player = (player, layer, screen)
        end = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime,
            object: player.currentItem,
            queue: .main
        ) { [weak self] _ in MainActor.assumeIsolated { self?.rewind() } }
    }

    private func rewind() {
        player?.player.seek(to: .zero)
        extensionContext?.mediaPlayingPaused()
    }
}
#endif
