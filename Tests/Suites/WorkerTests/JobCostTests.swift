import Jobs
import Testing

@Suite("The cost of jobs")
struct JobCostTests {
    @Test("before the first job, nothing is known")
    func nothing() { #expect(JobCost(slots: 64, decoders: 2).jobsPerSecond == nil) }

    @Test("jobs that wait for downloads are limited by the slots")
    func slots() throws {
        let cost = JobCost(slots: 64, decoders: 2)
        for _ in 0..<100 { cost.worked(for: .seconds(2)) }
        #expect(try abs(#require(cost.jobsPerSecond) - 32) < 0.01)
    }

    @Test("jobs that decode are limited by the decoders, and ones with shared pictures are not")
    func decoders() throws {
        let cost = JobCost(slots: 64, decoders: 2)
        for _ in 0..<100 {
            cost.worked(for: .milliseconds(500))
            cost.decoded(for: .milliseconds(100))
            cost.answered()
        }
        #expect(try abs(#require(cost.jobsPerSecond) - 20) < 0.01)
        for _ in 0..<2000 {
            cost.worked(for: .milliseconds(500))
            cost.answered()
        }
        #expect(try abs(#require(cost.jobsPerSecond) - 128) < 0.1)
    }
}
