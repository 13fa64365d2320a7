package import Base
package import DecoderWire
package import Decoding
package import Downloads
import Files
import Foundation
import HTTPClient
package import Media
package import Settings
package import Storage

/// The result of `attachd doctor`: the abilities of this installation, found by trying them.
package struct Diagnosis: Sendable {
    /// The result of one check.
    package struct Finding: Sendable, Equatable {
        package enum State: String, Sendable {
            case ok, missing, on, off, unavailable, ignored
        }

        package var section: String
        package var name: String
        package var state: State
        package var detail: String
        /// A Boolean value that indicates whether attachd cannot work without this.
        package var isNeeded: Bool
    }

    /// The state of a queue.
    package struct QueueReport: Sendable, Equatable {
        /// The queue's address, without secrets.
        package var address: String
        package var isUsable: Bool
        /// The queue in words, and the risks of its server's configuration; or the reason why it cannot be used.
        package var details: [String]
    }

    package private(set) var findings: [Finding] = []

    /// A Boolean value that indicates whether everything that attachd needs works.
    package var isHealthy: Bool { findings.allSatisfy { !$0.isNeeded || $0.state == .ok || $0.state == .on } }

    package init(
        _ settings: Settings,
        decoders: DecoderPool,
        decoderMemory: Int,
        sourceMemory: SourceMemory,
        store: AttachmentStore,
        bucket: Bucket?,
        downloader: Downloader,
        queue: QueueReport,
        libraries: [LoadedLibrary],
    ) async {
        await checkSamples(DecoderCheck(pool: decoders))
        note(
            "formats",
            "switched off",
            decoders.disabled.isEmpty ? "none" : decoders.disabled.names.joined(separator: ", ")
        )
        for library in libraries { note("library", library.name, library.detail) }
        note(
            "library",
            "dates",
            "each is that of the file; packages set it to their own last change, not to the installation"
        )
        await check(store)
        if let bucket { await check(bucket) }
        await check(settings.access, downloader)
        note("links", "payloads", settings.links)
        let detail = queue.details.joined(separator: " ")
        add("queue", queue.address, queue.isUsable ? .ok : .missing, detail, isNeeded: true)
        for variable in settings.unknownVariables {
            add("settings", variable.shownName, .ignored, variable.advice, isNeeded: false)
        }
        checkSandbox(decoders.status.sandbox, isRequired: settings.requiresSandbox)
        let (limits, machine) = (MediaLimits(), MachineLimits.ofThisProcess)
        note(
            "limits",
            "machine",
            "\(machine.memoryBytes / 1_048_576) MiB of memory and \(machine.processorCount) of its processors are for attachd"
        )
        let largestSource = min(limits.sourceBytes, sourceMemory.largestSource)
        note(
            "limits",
            "source",
            "\(largestSource / 1_000_000) MB, \(limits.framePixels / 1_000_000) megapixels a frame"
        )
        note("limits", "sources", "\(sourceMemory.byteLimit / 1_048_576) MiB of memory together; more of them wait")
        note("limits", "animation", "\(limits.frames) frames, \(limits.totalPixels / 1_000_000) megapixels in all")
        let oneDecoder = min(limits.memoryBytes, decoderMemory)
        note("limits", "decoder", "\(oneDecoder / 1_048_576) MiB of memory, \(settings.decoders) at once")
        note("limits", "decoders", "\(decoderMemory / 1_048_576) MiB of memory together, by estimate")
        let fitting = FittingSources(
            decoderMemory: decoderMemory,
            initial: DecoderPoolConfiguration.initialMemoryBytes,
            limits: limits,
            profile: settings.profile,
        )
        note("limits", "pictures", fitting.pictures)
        note("limits", "clips", fitting.clips)
        note("limits", "threads", Self.threads(decoders.status.sandbox))
        let allowed = settings.allowedAddresses.map(\.description).joined(separator: ", ")
        note("limits", "addresses", allowed.isEmpty ? "public ones only" : "public ones, and \(allowed)")
    }

    private mutating func checkSamples(_ check: DecoderCheck) async {
        for sample in SampleMedia.pictures {
            await add("formats", sample.format.mimeType, "decoded a sample") { () async throws(AttachmentFailure) in
                try await check.check(sample)
            }
        }
        for sample in SampleMedia.clips {
            let success = "decoded a sample and encoded it again"
            await add("codecs", sample.codec, success) { () async throws(AttachmentFailure) in
                try await check.checkClip(sample.format, sample.bytes)
            }
        }
    }

    /// Adds a format or codec, whose sample `decode` decodes. One that the operator has switched off is not missing.
    private mutating func add(
        _ section: String,
        _ name: String,
        _ success: String,
        _ decode: () async throws(AttachmentFailure) -> Void,
    ) async {
        do throws(AttachmentFailure) {
            try await decode()
            add(section, name, .ok, success, isNeeded: true)
        } catch  where error.reason == .disabled {
            add(section, name, .off, "switched off by formats.disabled", isNeeded: false)
        } catch {
            add(section, name, .missing, error.message, isNeeded: true)
        }
    }

    private mutating func check(_ store: AttachmentStore) async {
        do throws(FileError) {
            try await store.checkWritable()
            let (usage, retention) = (store.usage, store.retention)
            let use = "\(usage.fileCount) files, \(usage.byteCount / 1_000_000) of \(retention.quota / 1_000_000) MB"
            add("store", store.root, .ok, "can be written to; \(use)", isNeeded: true)
        } catch {
            add("store", store.root, .missing, "\(error)", isNeeded: true)
        }
    }

    private mutating func check(_ bucket: Bucket) async {
        do throws(AttachmentFailure) {
            let remark = try await bucket.check(until: SystemTime().now + Self.timeLimit)
            add("bucket", "\(bucket.address)", .ok, remark ?? "an object was uploaded and deleted", isNeeded: true)
        } catch {
            add("bucket", "\(bucket.address)", .missing, error.message, isNeeded: true)
        }
    }

    /// Tries each rule that gives access to sources.
    private mutating func check(_ access: [AccessRule], _ downloader: Downloader) async {
        for rule in access {
            guard let trial = await downloader.trial(of: rule, until: SystemTime().now + Self.timeLimit) else {
                continue
            }
            add("sources", rule.name, trial.isWorking ? .ok : .missing, trial.detail, isNeeded: true)
        }
    }

    /// The time limit of the check of a bucket or an origin.
    private static let timeLimit: Duration = .seconds(10)

    private mutating func checkSandbox(_ report: SandboxReport?, isRequired: Bool) {
        let missing = report?.missing ?? SandboxLayer.allCases
        for layer in SandboxLayer.allCases {
            let name = layer.rawValue
            let isNeeded = isRequired && missing.contains(layer)
            switch report?[layer] {
            case .on: add("sandbox", name, .on, "", isNeeded: isNeeded)
            case .off: add("sandbox", name, .off, "deliberately not used", isNeeded: isNeeded)
            case .unavailable(let why): add("sandbox", name, .unavailable, why, isNeeded: isNeeded)
            case nil: add("sandbox", name, .unavailable, "no decoder process became ready", isNeeded: isNeeded)
            }
        }
        if let report { note("sandbox", "reach", report.reach) }
    }

    /// Returns a description of the limit on the threads of decoder processes.
    private static func threads(_ report: SandboxReport?) -> String {
        let bounds = [(SandboxLayer.controlGroup, "a control group"), (.threadLimit, "RLIMIT_NPROC")]
        let holding = bounds.filter { report?[$0.0] == .on }.map(\.1)
        return holding.isEmpty
            ? "bounded by the memory of each decoder only; see thread-limit and control-group"
            : "4096 for all decoders together, by \(holding.joined(separator: " and "))"
    }

    private mutating func note(_ section: String, _ name: String, _ detail: String) {
        add(section, name, .ok, detail, isNeeded: false)
    }

    private mutating func add(
        _ section: String,
        _ name: String,
        _ state: Finding.State,
        _ detail: String,
        isNeeded: Bool,
    ) {
        findings.append(
            Finding(section: section, name: name, state: state, detail: detail, isNeeded: isNeeded)
        )
    }

    /// The findings as text, one line each, in columns.
    package var text: String {
        let width = findings.map(\.name.count).max() ?? 0
        return findings.map { finding in
            let name = finding.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let section = finding.section.padding(toLength: 8, withPad: " ", startingAt: 0)
            return "\(section) \(name)  \(finding.state.rawValue)\(finding.detail.isEmpty ? "" : ": \(finding.detail)")"
        }
        .joined(separator: "\n")
    }
}

// MARK: - Libraries

extension LoadedLibrary {
    /// The version and the file with its date, for a person.
    var detail: String {
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        let date = attributes?[.modificationDate] as? Date
        let time = date.map { $0.formatted(.iso8601.year().month().day()) } ?? "an unknown date"
        return "\(version ?? "tells no version"), \(file) of \(time)"
    }
}

// MARK: - The sandbox

extension SandboxReport {
    /// The things that an attacker could reach who took over a decoder, and found a way around one more layer.
    ///
    /// Where namespaces are forbidden, one layer stands where there were two.
    package var reach: String {
        func isOn(_ layer: SandboxLayer) -> Bool { self[layer] == .on }
        var found: [String] = []
        if !isOn(.systemCallFilter) { found.append("every system call that its user may make") }
        if !isOn(.emptyNetwork) {
            found.append("this machine's network" + (isOn(.systemCallFilter) ? ", past the system call filter" : ""))
        }
        if !isOn(.emptyRoot) {
            let walls = [(SandboxLayer.systemCallFilter, "the system call filter"), (.landlock, "Landlock")]
                .filter { isOn($0.0) }.map(\.1).joined(separator: " and ")
            found.append("files of attachd's user" + (walls.isEmpty ? "" : ", past \(walls)"))
        }
        guard !found.isEmpty else { return "nothing but its source, its outputs, and its own memory and time" }
        return found.joined(separator: "; ")
    }
}
