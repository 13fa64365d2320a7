package import Base
package import Media
package import Payloads

/// The service behind HTTP, the command line, and the queue: it takes a payload and returns a result by the deadline.
package struct NotificationService: Sendable {
    /// The values for requests that do not give their own.
    package struct Defaults: Sendable {
        package var profile: Profile
        package var timeLimit: Duration
        package var limits: MediaLimits

        package init(profile: Profile = .apns, timeLimit: Duration = .seconds(25), limits: MediaLimits = MediaLimits())
        {
            self.profile = profile
            self.timeLimit = timeLimit
            self.limits = limits
        }
    }

    /// The options of a request.
    package struct Options: Sendable, Equatable {
        package var identifier: String?
        /// The tenant that the work is for, or `nil` if the request names none.
        package var tenant: String?
        package var profile: String?
        package var dialect: String?
        package var pushType: PushType
        package var timeLimit: Duration?
        /// The wanted part of a video or sound.
        package var clip: ClipSelection
        /// The point of the pictures that stays visible where a profile crops.
        package var focus: FocalPoint?

        package init(
            identifier: String? = nil,
            tenant: String? = nil,
            profile: String? = nil,
            dialect: String? = nil,
            pushType: PushType = .alert,
            timeLimit: Duration? = nil,
            clip: ClipSelection = ClipSelection(),
            focus: FocalPoint? = nil,
        ) {
            self.identifier = identifier
            self.tenant = tenant
            self.profile = profile
            self.dialect = dialect
            self.pushType = pushType
            self.timeLimit = timeLimit
            self.clip = clip
            self.focus = focus
        }
    }

    /// The longest deadline: a push that arrives later is not useful any more.
    package static let longestTimeLimit: Duration = .seconds(300)

    private let reader: PayloadReader
    private let pipeline: AttachmentPipeline
    private let profiles: ProfileTable
    private let defaults: Defaults
    private let longestHold: Duration
    private let time: any TimeSource

    /// Drops everything made from the source at `url`, including work in progress. Returns the source's identity.
    package func forget(source url: String) async -> String { await pipeline.forget(source: url) }

    /// Drops everything made from the source with that name in the fleet, including work in progress.
    package func forget(sourceNamed name: String) { pipeline.forget(sourceNamed: name) }

    /// Drops the file with that name, so that no later notification gets it.
    package func forget(file name: String) { pipeline.forget(file: name) }

    package init(
        reader: PayloadReader,
        pipeline: AttachmentPipeline,
        profiles: [Profile] = Profile.builtIn,
        defaults: Defaults = Defaults(),
        longestHold: Duration = .seconds(86_400),
        time: any TimeSource = SystemTime(),
    ) {
        self.reader = reader
        self.pipeline = pipeline
        self.profiles = ProfileTable(profiles: profiles, fallback: defaults.profile)
        self.defaults = defaults
        self.longestHold = longestHold
        self.time = time
    }

    package var now: Instant { time.now }

    /// The names of the profiles that a request may choose.
    package var profileNames: [String] { profiles.profiles.map(\.name) }

    /// The names of the dialects that a request may choose.
    package var dialectNames: [String] { reader.dialectNames }

    /// Processes the attachments of `payload` and rewrites it.
    ///
    /// The deadline counts from `accepted`, the time at which the request arrived. Throws only if the payload or an
    /// option is not valid; a failure of an attachment is part of the result.
    package func process(
        _ payload: PayloadSource,
        options: Options = Options(),
        accepted: Instant,
    ) async throws(RequestError) -> ProcessingResult {
        await process(try read(payload, options: options), accepted: accepted)
    }

    /// Returns the time that a notification with these options has.
    package func timeLimit(of options: Options) -> Duration { options.timeLimit ?? defaults.timeLimit }

    /// Reads a payload, and checks it and its options.
    package func read(_ payload: PayloadSource, options: Options) throws(RequestError) -> ProcessingRequest {
        let timeLimit = try Self.checkTimeLimit(timeLimit(of: options))
        let notification: NotificationRequest
        let inlinePattern = try profiles.inlinePattern(asked: options.profile)
        do throws(PayloadError) {
            notification = try read(payload, options, inlinePattern)
        } catch {
            throw .payload(error)
        }
        return ProcessingRequest(
            notification: notification,
            profiles: try profiles.choices(for: notification.attachments, asked: options.profile),
            tenant: options.tenant,
            timeLimit: timeLimit,
            clip: options.clip,
            focus: options.focus,
            limits: defaults.limits,
        )
    }

    /// Processes a notification that was read. The deadline counts from `accepted`; a `timeLimit` replaces the request's.
    package func process(
        _ request: ProcessingRequest,
        accepted: Instant,
        within timeLimit: Duration? = nil,
    ) async -> ProcessingResult {
        var request = request
        request.accepted = accepted
        return await WorkingTenant.$name.withValue(request.tenant ?? TenantName.unnamed) { [request] in
            await pipeline.process(request, deadline: accepted + (timeLimit ?? request.timeLimit))
        }
    }

    /// Returns the result for a notification that is not processed: its time passed while it waited, or `failure` gives
    /// the reason.
    package func decline(
        _ request: ProcessingRequest,
        accepted: Instant,
        within timeLimit: Duration,
        because failure: AttachmentFailure? = nil,
    ) -> ProcessingResult {
        var request = request
        request.accepted = accepted
        return pipeline.decline(request, deadline: accepted + timeLimit, because: failure)
    }

    /// Records that these answers go to their connection now: what delayed them after the work counts, too.
    package func left(_ results: [ProcessingResult]) { pipeline.left(results, at: now) }

    /// Makes a source ready ahead of time, within the time limit from `accepted`. A source that fails is part of the result.
    package func prepare(_ preparation: Preparation, accepted: Instant, timeLimit: Duration) async -> PreparedResult {
        await pipeline.prepare(preparation, deadline: accepted + timeLimit)
    }

    /// Checks the options of a source to prepare, and completes them.
    package func check(_ request: PrepareRequest) throws(RequestError) -> Preparation {
        let last = UnixTime.now + longestHold
        if let until = request.until, until > last {
            throw .option(
                "\"until\" is at most \(RFC3339Time(last)), because files are not kept longer. Raise --keep, or prepare later."
            )
        }
        let profile = try request.profile.map { name throws(RequestError) in try profiles.profile(named: name) }
        return Preparation(request: request, profile: profile ?? defaults.profile, until: request.until ?? last)
    }

    private func read(
        _ payload: PayloadSource,
        _ options: Options,
        _ inlinePattern: JSONPattern?,
    ) throws(PayloadError) -> NotificationRequest {
        let identifier = options.identifier ?? RandomIdentifier.make()
        switch payload {
        case .bytes(let bytes):
            return try reader.read(
                bytes,
                identifier: identifier,
                pushType: options.pushType,
                dialect: options.dialect,
                inlinePattern: inlinePattern,
            )
        case .value(let value):
            return try reader.read(
                value,
                identifier: identifier,
                pushType: options.pushType,
                dialect: options.dialect,
                inlinePattern: inlinePattern,
            )
        }
    }

    /// Returns the time limit of a request if it is allowed.
    package static func checkTimeLimit(_ limit: Duration) throws(RequestError) -> Duration {
        guard limit > .zero, limit <= Self.longestTimeLimit else {
            throw .option("The deadline must be above 0 and at most \(Self.longestTimeLimit.milliseconds / 1000)s.")
        }
        return limit
    }
}

/// A payload: its bytes, or JSON that is already parsed.
package enum PayloadSource: Sendable {
    case bytes([UInt8])
    case value(JSONValue)
}
