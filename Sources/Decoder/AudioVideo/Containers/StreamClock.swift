import Base
import CLibav

/// The clock of MPEG streams, made continuous.
///
/// A transport stream's clock wraps every 26.5 hours, and jumps where a broadcaster or a packager joins two streams
/// (ISO/IEC 13818-1, 2.4.3.4 and 2.7.5). A player goes on as if nothing had happened. libav unwraps the clock once, but
/// doesn't join.
struct StreamClock {
    /// The longest step forward that is a pause and not a jump, in microseconds. The standard asks for a time every 0.7 s.
    private static let longestPause: Int64 = 10_000_000
    /// The longest step back that is no jump, in microseconds: streams that were cut badly overlap a little.
    private static let longestOverlap: Int64 = 500_000
    /// The difference up to which a stream follows another one over the same jump, in microseconds.
    private static let longestSkew: Int64 = 2_000_000
    /// Bounds far beyond the 33 bits of a clock, in microseconds, within which no sum overflows.
    private static let bounds = Int64(-1) << 50...Int64(1) << 50

    /// The time at which each stream's next packet is due, and what was added to the stream's times to get there.
    private var streams: [Int: (due: Int64, added: Int64)] = [:]

    /// Moves the packet's times, which are in units of `timeBase`, to the continuous clock.
    mutating func correct(_ packet: Packet, _ timeBase: AVRational) {
        let microsecond = AVRational(num: 1, den: AV_TIME_BASE)
        guard let time = packet.decodingTime ?? packet.presentationTime else { return }
        let stored = av_rescale_q(time, timeBase, microsecond)
        guard Self.bounds.contains(stored) else { return }
        let added = addition(to: stored, of: packet.stream)
        let duration = min(Self.longestPause, max(0, av_rescale_q(packet.duration, timeBase, microsecond)))
        streams[packet.stream] = (stored + added + duration, added)
        guard added != 0 else { return }
        let units = av_rescale_q(added, microsecond, timeBase)
        packet.presentationTime = packet.presentationTime.map { $0.addingClamped(units) }
        packet.decodingTime = packet.decodingTime.map { $0.addingClamped(units) }
    }

    /// Returns what is added to a time of `stream`: as before, or after a jump as much as for another stream that has jumped
    /// already, or else so much that the stream goes on without a pause.
    private func addition(to stored: Int64, of stream: Int) -> Int64 {
        guard let (due, added) = streams[stream] else {
            // A stream that begins later does so on the clock of the others.
            return streams.values.first?.added ?? 0
        }
        let step = stored + added - due
        guard step > Self.longestPause || step < -Self.longestOverlap else { return added }
        let others = streams.filter { $0.key != stream }.map(\.value)
        if let jumped = others.first(where: { $0.added != added && abs(stored + $0.added - due) <= Self.longestSkew }) {
            return jumped.added
        }
        // Sound that lasted longer than its pictures begins again beside them.
        let goesOn = others.contains { $0.added == added && abs(stored + added - $0.due) <= Self.longestOverlap }
        return goesOn && abs(step) <= Self.longestSkew ? added : due - stored
    }
}
