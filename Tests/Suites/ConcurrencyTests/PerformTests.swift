import Base
import Dispatch
import Testing

@Suite("Work on a dispatch queue", .timeLimit(.minutes(10)))
struct PerformTests {
    @Test("it is done on the queue, one after the other, and its value is returned")
    func performs() async {
        let queue = DispatchQueue(label: "test")
        let values = await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await queue.perform {
                        dispatchPrecondition(condition: .onQueue(queue))
                        return number
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values.sorted() == Array(0..<100))
    }
}
