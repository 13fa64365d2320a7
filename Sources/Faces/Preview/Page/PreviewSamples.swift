/// A sample payload: one of `Samples/payloads`, embedded in the program.
struct PreviewSample {
    let name: String
    let title: String
    let payload: String

    static let all: [PreviewSample] = [
        sample("photo", "A photo", PackageResources.photo_json),
        sample("event-invite", "An invitation, with actions", PackageResources.event_invite_json),
        sample("message", "A message to reply to", PackageResources.message_json),
        sample("animation", "An animation", PackageResources.animation_json),
        sample("video", "A video", PackageResources.video_json),
        sample("sound", "A voice message", PackageResources.sound_json),
        sample("airship", "Airship, with a cropped thumbnail", PackageResources.airship_json),
        sample("braze", "Braze", PackageResources.braze_json),
        sample("fcm-message", "Firebase, for three platforms", PackageResources.fcm_message_json),
        sample("gorush", "gorush", PackageResources.gorush_json),
        sample("home-assistant", "Home Assistant", PackageResources.home_assistant_json),
        sample("onesignal", "OneSignal, with two photos", PackageResources.onesignal_json),
    ]

    private static func sample(_ name: String, _ title: String, _ bytes: [UInt8]) -> PreviewSample {
        PreviewSample(name: name, title: title, payload: String(decoding: bytes, as: UTF8.self))
    }
}
