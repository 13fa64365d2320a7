import Base
import LoadTest
import Testing

@Suite("The notation of budgets", .timeLimit(.minutes(10)))
struct BudgetTests {
    @Test(
        "each budget is parsed",
        arguments: [
            ("p99<1.8s", Budget.Metric.time(of: nil, .percentile(99)), Budget.Comparison.below, 1800.0),
            ("p99.9 <= 500ms", .time(of: nil, .percentile(99.9)), .atMost, 500),
            ("max<5s", .time(of: nil, .max), .below, 5000),
            ("mean<100ms", .time(of: nil, .mean), .below, 100),
            ("decode.p90<300ms", .time(of: "decode", .percentile(90)), .below, 300),
            ("complete.p50<1s", .time(of: "complete", .percentile(50)), .below, 1000),
            ("margin.p1>200ms", .time(of: "margin", .percentile(1)), .above, 200),
            ("margin.min>=0ms", .time(of: "margin", .min), .atLeast, 0),
            ("late=0", .count("late"), .equal, 0),
            ("degraded<5%", .share("degraded"), .below, 5),
            ("late<0.1%", .share("late"), .below, 0.1),
            ("unanswered=0", .count("unanswered"), .equal, 0),
            ("goodput>50/s", .goodput, .above, 50),
            ("rss<400MB", .rss, .below, 400e6),
        ]
    )
    func reads(text: String, metric: Budget.Metric, comparison: Budget.Comparison, limit: Double) throws {
        let budget = try Budget(text)
        #expect(budget.metric == metric)
        #expect(budget.comparison == comparison)
        #expect(budget.limit == limit)
        #expect(budget.step == nil)
    }

    @Test("a budget may apply to a single step")
    func step() throws {
        #expect(try Budget("p99<1.8s@1x").step == "1x")
    }

    @Test(
        "an invalid budget is refused, with the error and a valid form",
        arguments: [
            ("", "one step"), ("p99", "it has no <"), ("p99<", "is not a value for p99"),
            ("p99<1.8", "is not a value for p99"),
            ("p100<1s", "\"p100\" is not measured"), ("p0<1s", "\"p0\" is not measured"),
            ("q99<1s", "\"q99\" is not measured"),
            ("late=none", "is not a value for late"), ("late=-1", "is not a value for late"),
            ("degraded<500%", "is not a value for"),
            ("goodput>50", "is not a value for goodput"), ("rss<400", "is not a value for rss"),
            ("p99<1s@", "one step"),
            ("p99<1s@1x@2x", "one step"), ("encode.p99<1s", "\"encode.p99\" is not measured"),
            ("decode<1s", "is not measured"),
        ]
    )
    func refuses(text: String, reason: String) {
        let error = #expect(throws: LoadTestError.self) { try Budget(text) }
        #expect(error?.kind == .usage)
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.description.contains("write it as p99<1.8s") == true)
    }

    @Test(
        "rates are parsed: numbers, shares of the capacity, lists and ramps",
        arguments: [
            ("50", ["50/s"]), ("50/s", ["50/s"]), ("1.5x", ["1.5x"]), ("10,1x", ["10/s", "1x"]),
            ("0.5x..3x", ["0.5x", "0.8x", "1x", "1.2x", "1.5x", "2x", "3x"]),
            ("10..50", ["10/s", "20/s", "30/s", "40/s", "50/s"]),
        ]
    )
    func rates(text: String, labels: [String]) throws {
        #expect(try Rate.steps(text).map(\.label) == labels)
    }

    @Test(
        "an invalid rate is refused",
        arguments: ["", "0", "-1", "x", "3x..1x", "1x..50", "1..2..3", "1e9"]
    )
    func badRates(text: String) {
        #expect(throws: LoadTestError.self) { try Rate.steps(text).first ?? { throw LoadTestError.usage("") }() }
    }
}
