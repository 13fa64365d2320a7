import Base
import Media
import Processing
import Testing

@Suite("The cost of decoding")
struct CostModelTests {
    @Test("costs are learnt separately for each format")
    func learns() {
        let costs = CostModel()
        for _ in 0..<50 { costs.learn(.jpeg, took: .milliseconds(80)) }
        #expect(abs(costs.cost(of: .jpeg).milliseconds - 80) < 10)
        #expect(costs.cost(of: .heic) == costs.cost(of: nil))
    }

    @Test("one slow job does not outweigh fifty others")
    func outlier() {
        let costs = CostModel()
        for _ in 0..<50 { costs.learn(.jpeg, took: .milliseconds(80)) }
        costs.learn(.jpeg, took: .milliseconds(800))
        #expect(costs.cost(of: .jpeg) < .milliseconds(800))
    }

    @Test("the first job of a format tries the cheap rungs and the best one")
    func unknown() {
        let rungs = CostModel().rungs(for: .jpeg, in: .milliseconds(150))
        #expect(rungs.isSuperset(of: [.fast, .downscaled]))
    }

    @Test("with much time the best rung comes at once; with little, a cheap one first; with none, only that one")
    func rungs() {
        let costs = CostModel()
        for _ in 0..<50 { costs.learn(.jpeg, took: .milliseconds(100)) }
        #expect(!costs.rungs(for: .jpeg, in: .seconds(20)).contains(.fast))
        #expect(costs.rungs(for: .jpeg, in: .milliseconds(200)).isSuperset(of: [.fast, .downscaled]))
        #expect(!costs.rungs(for: .jpeg, in: .milliseconds(40)).contains(.downscaled))
        #expect(costs.rungs(for: .jpeg, in: .milliseconds(40)).contains(.fast))
        #expect(costs.rungs(for: .jpeg, in: .milliseconds(2)).isEmpty)
    }
}
