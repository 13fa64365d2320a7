import Base
import Media

/// The steps of a pipeline, each call of which is an activity with events for its beginning, its progress and its end.
struct RecordedSteps: Sendable {
    let steps: AttachmentPipeline.Steps
    let recorder: any EventRecorder<ProcessingEvent>

    var converter: any AttachmentConverting { steps.converter }
    var store: any AttachmentStoring { steps.store }

    func download(_ job: DownloadJob) async {
        await recorder.record({ .step($0, .downloads(job.source)) }) { activity in
            var recorded = job
            recorded.onEvent = recording(job.onEvent, activity)
            await steps.downloader.download(recorded)
            recorder.record(.step(activity, .downloaded(job.file.contents)))
        }
    }

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        try await recorder.record({ .step($0, .decodes(job.request.format)) }) {
            activity async throws(AttachmentFailure) in
            var recorded = job
            recorded.onEvent = recording(job.onEvent, activity)
            return try await ending(activity, { .decoded(worked: $0) }) { () async throws(AttachmentFailure) in
                try await steps.converter.convert(recorded)
            }
        }
    }

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        try await recorder.record({ .step($0, .stores(rung.report)) }) { activity async throws(AttachmentFailure) in
            try await ending(activity, { _ in .stored }) { () async throws(AttachmentFailure) in
                try await steps.store.store(rung, of: source, until: deadline)
            }
        }
    }

    /// Returns a receiver that records the progress and passes it on.
    private func recording(_ receiver: @escaping ProgressEvent.Receiver, _ activity: Activity) -> ProgressEvent.Receiver
    {
        { event in
            recorder.record(.step(activity, .progresses(event)))
            receiver(event)
        }
    }

    /// Calls a step, and records `event` or its failure.
    private func ending<Value: Sendable>(
        _ activity: Activity,
        _ event: (Value) -> StepEvent,
        _ step: () async throws(AttachmentFailure) -> Value,
    ) async throws(AttachmentFailure) -> Value {
        do throws(AttachmentFailure) {
            let value = try await step()
            recorder.record(.step(activity, event(value)))
            return value
        } catch {
            recorder.record(.step(activity, .failed(error)))
            throw error
        }
    }
}
