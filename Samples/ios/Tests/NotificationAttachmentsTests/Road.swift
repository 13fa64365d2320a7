import Foundation
import NotificationAttachments
import UserNotifications

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import NotificationService

/// All that a notification passes: an origin, `attachd serve`, the sample gateway, and the network of the phone.
final class Road: Sendable {
    /// The folder of the built programs.
    static let programs = ProcessInfo.processInfo.environment["ATTACHD_BIN"]

    let attachd: ChildProgram
    private let origin: ChildProgram
    private let network: ChildProgram
    private let gateway: ChildProgram
    private let folder: TemporaryFolder
    private let originPort: String
    private let gatewayPort: String

    /// `fault` is what the network does on the phone's way to the ready files; `inline` is the rule for pictures inside the
    /// payload.
    init(fault: String = "none", inline: String = "auto") async throws {
        folder = try TemporaryFolder()
        origin = try ChildProgram(["python3", Samples.faulty, Samples.folder.appending(path: "media").path])
        network = try ChildProgram(["python3", Samples.faulty])
        originPort = try await origin.answer("port ")
        let configuration = folder.url.appending(path: "attachd.yaml")
        try Data("profiles: {phone: {basedOn: apns, inline: \(inline)}}".utf8).write(to: configuration)
        let networkPort = try await network.answer("port ")
        attachd = try ChildProgram([
            "\(Self.programs ?? "")/attachd", "serve", "--listen", "127.0.0.1:0", "--allow-address", "127.0.0.1",
            "--store", folder.url.appending(path: "store").path, "--config", configuration.path, "--profile", "phone",
            "--public-url", "http://127.0.0.1:\(networkPort)/\(fault)", "--log-format", "json",
        ])
        let port = try await attachd.answer(#""message":"attachd listens.","port":""#).prefix { $0.isNumber }
        try network.write(line: "http://127.0.0.1:\(port)")
        let free = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print('port', s.getsockname()[1])"
        gatewayPort = try await ChildProgram(["python3", "-c", free]).answer("port ")
        let script = Samples.folder.appending(path: "gateway/gateway.py").path
        gateway = try ChildProgram([
            "python3", "-u", script, "--listen", "127.0.0.1:\(gatewayPort)", "--attachd", "http://127.0.0.1:\(port)",
        ])
        // The gateway says nothing when it listens.
        let connects = """
            import socket, time
            while True:
                try: socket.create_connection(("127.0.0.1", \(gatewayPort))); break
                except OSError: time.sleep(0.02)
            print("there")
            """
        _ = try await ChildProgram(["python3", "-c", connects]).answer("there")
    }

    /// Ends all programs.
    func end() { for program in [gateway, attachd, network, origin] { program.end() } }

    /// Pushes a sample through the gateway. Returns the notification as it comes to the phone, and its outcome.
    ///
    /// `fault` is what the network does on attachd's way to the origin.
    func push(
        _ sample: String,
        fault: String = "none"
    ) async throws -> (request: UNNotificationRequest, outcome: String) {
        let payload = try String(contentsOf: Samples.folder.appending(path: "payloads/\(sample).json"), encoding: .utf8)
            .replacing("http://127.0.0.1:8099", with: "http://127.0.0.1:\(originPort)/\(fault)")
        var request = URLRequest(url: try address("http://127.0.0.1:\(gatewayPort)/push"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"token": "a1b2c3", "payload": \#(payload)}"#.utf8)
        _ = try await URLSession.shared.data(for: request)
        let sent = try await gateway.answer(#"{"token": "a1b2c3", "#)
        let push = try JSONSerialization.jsonObject(with: Data("{\(sent)".utf8)) as? [String: Any]
        let content = UNMutableNotificationContent()
        content.userInfo = push?["payload"] as? [String: Any] ?? [:]
        return (UNNotificationRequest(identifier: "1", content: content), push?["outcome"] as? String ?? "")
    }

    /// Waits until the phone has asked for a file and gets no more of it.
    func untilStalled() async throws { _ = try await network.answer("waiting") }

    private func address(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }
}
