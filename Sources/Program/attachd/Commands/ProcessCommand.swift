import App
import ArgumentParser
import Base
import Foundation
import Logging
import Media
import Payloads
import Processing
import Settings

struct ProcessCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Processes one notification and writes the new payload to standard output.",
    )

    @OptionGroup var payload: PayloadOptions
    @Option(help: "Write the complete result to this file as JSON.", completion: .file())
    var report: String?
    @Flag(help: "Print the chosen dialect, profile and source rule, and the reasons, to standard error.")
    var explain = false
    @Flag(help: "Exit with status 3 if the outcome is not complete.")
    var strict = false
    @OptionGroup var common: GeneralOptions<ProcessSettings>

    func perform() async throws {
        try OutputPath.check(report)
        let bytes = try payload.read()
        let settings = try common.settings()
        settings.startLogging()
        let engine = try await Engine.start(settings, readsLocalFiles: true)
        try await engine.insistOnSandbox(settings)
        let result = try await process(bytes, engine)
        await engine.shutDown()
        if explain {
            // It contains names of fields, which the sender chose.
            let rules = result.request.notification.attachments.compactMap { attachment in
                engine.sourceRule(of: attachment.url).map { "\($0): \(attachment.pointers.url)" }
            }
            let explanation = result.explanation.split(separator: "\n").map(String.init) + rules
            let disabled = engine.formats.disabled.names.joined(separator: ", ")
            let explained = explanation + (disabled.isEmpty ? [] : ["switched off: \(disabled)"])
            let lines = explained.map { $0.onOneLine() + "\n" }
            FileHandle.standardError.write(Data(lines.joined().utf8))
        }
        FileHandle.standardError.write(Data(result.failureLines.joined().utf8))
        FileHandle.standardOutput.write(Data(result.payload + [0x0A]))
        if let report { try await OutputPath.write(Data(result.json + [0x0A]), to: report) }
        if strict, result.outcome != .complete {
            throw CommandError(.notComplete, "The outcome is \(result.outcome.rawValue), not complete.")
        }
    }

    private func process(_ bytes: [UInt8], _ engine: Engine) async throws -> ProcessingResult {
        do throws(RequestError) {
            let service = engine.service
            let options = NotificationService.Options(
                profile: common.profile,
                dialect: payload.dialect,
                pushType: payload.pushType
            )
            return try await service.process(.bytes(bytes), options: options, accepted: service.now)
        } catch {
            switch error {
            case .option(let message): throw CommandError(.badConfiguration, message)
            case .payload(.unknownDialect(let name, let known)):
                let error = PayloadError.unknownDialect(name, known: known)
                throw CommandError(.badConfiguration, error.description)
            case .payload(let error): throw CommandError(.badInput, "\(payload.path): \(error)")
            case .envelope(let message): throw CommandError(.badInput, "\(payload.path): \(message)")
            }
        }
    }
}

extension ProcessingResult {
    /// A line for each failure: where the attachment stands in the payload, what failed, and what to do.
    fileprivate var failureLines: [String] {
        failures.map { failure in
            let wanted = request.notification.attachments.first { $0.identifier == failure.attachment }
            let subject = wanted.map { "\($0.pointers.url)" } ?? "The payload"
            return "attachd: \(subject): \(failure.failure.message)".onOneLine() + "\n"
        }
    }
}
