import Synchronization
import Testing

@testable import Media

@Suite("Formats and codecs that are switched off")
struct DisabledFormatsTests {
    @Test("each name is read again as what it was written for", arguments: DisabledFormats.allNames)
    func names(name: String) {
        let (disabled, unknown) = DisabledFormats.reading([name])
        #expect(unknown.isEmpty && disabled.names == [name])
        #expect(DisabledFormats.reading([name.uppercased()]).disabled == disabled)
        #expect(disabled.formats.map(\.rawValue) == (MediaFormat(rawValue: name) == nil ? [] : [name]))
        #expect(disabled.codecs.map(\.rawValue) == (MediaCodec(rawValue: name) == nil ? [] : [name]))
    }

    @Test("a name that is neither is given back, and the others count")
    func unknown() {
        let (disabled, unknown) = DisabledFormats.reading(["heif", "png", ""])
        #expect(unknown == ["heif", ""] && disabled.names == ["png"])
    }

    @Test(
        "a codec refuses the formats that have no other",
        arguments: [("hevc", "heic"), ("av1", "avif"), ("mp3", "mp3"), ("aac", "aac"), ("flac", "flac")],
    )
    func ownCodecs(codec: String, format: String) throws {
        let disabled = DisabledFormats.reading([codec]).disabled
        #expect(MediaFormat.allCases.filter(disabled.refuses).map(\.rawValue) == [format])
    }

    @Test(
        "a change concerns the formats that may have a part of it",
        arguments: [
            ("png", "png"), ("jpeg", "jpeg png gif webp heic avif tiff"), ("webp", "webp tiff"),
            ("hevc", "heic avif clips"),
            ("h264", "clips"), ("mp4", "mp4"), ("av1", "heic avif clips"),
        ],
    )
    func concerns(name: String, formats: String) {
        let disabled = DisabledFormats.reading([name]).disabled
        let clips = MediaFormat.allCases.filter { $0.kind != .image }.map(\.rawValue)
        let expected = formats.split(separator: " ").flatMap { $0 == "clips" ? clips : [String($0)] }
        #expect(Set(MediaFormat.allCases.filter(disabled.mayConcern).map(\.rawValue)) == Set(expected))
    }

    @Test("the fleet's list adds to the settings and never takes anything from them")
    func lists() {
        let (heic, hevc) = (DisabledFormats.reading(["heic"]).disabled, DisabledFormats.reading(["hevc"]).disabled)
        let formats = FormatSwitch(settings: heic)
        let changes = Mutex<[FormatSwitch.Change]>([])
        formats.onChange { change in changes.withLock { $0.append(change) } }
        #expect(formats.replace(fleet: heic.union(hevc)) && formats.disabled.names == ["heic", "hevc"])
        #expect(!formats.replace(fleet: heic.union(hevc)))
        #expect(formats.replace(fleet: DisabledFormats()) && formats.disabled == heic)
        #expect(formats.replace(fleet: heic) && formats.disabled == heic)
        #expect(formats.replace(settings: DisabledFormats()) && formats.disabled == heic)
        let expected = [
            FormatSwitch.Change(switchedOff: hevc, switchedOn: DisabledFormats(), disabled: heic.union(hevc)),
            FormatSwitch.Change(switchedOff: DisabledFormats(), switchedOn: hevc, disabled: heic),
        ]
        #expect(changes.withLock(\.self) == expected)
    }

    @Test("what was read of the fleet's list before this process replaced it does not undo that")
    func readBefore() {
        let (heic, hevc) = (DisabledFormats.reading(["heic"]).disabled, DisabledFormats.reading(["hevc"]).disabled)
        let formats = FormatSwitch()
        let before = formats.fleetReplacements
        formats.replace(fleet: DisabledFormats())
        #expect(!formats.replace(fleet: heic, readSince: before) && formats.disabled.isEmpty)
        #expect(formats.replace(fleet: hevc, readSince: formats.fleetReplacements) && formats.disabled == hevc)
    }
}
