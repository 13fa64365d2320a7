import Base
import Files
import Foundation
import HTTPClient
import Media
import Storage
import Support
import Testing

@Suite("A bucket of a real S3 API", .needsMoto, .serialized, .timeLimit(.minutes(10)))
struct BucketTests {
    let moto: MotoServer
    let photo = SampleMedia.photo

    init() throws {
        moto = try MotoServer()
    }

    @Test(
        "a file is put by either addressing style, and anybody reads it with the right header fields",
        arguments: BucketAddress.Style.allCases
    )
    func published(style: BucketAddress.Style) async throws {
        let bucket = try Bucket(moto.settings(style: style), keep: .seconds(3600))
        try await bucket.publish(PublishedFile(photo, name: "abc.jpg"), until: .in(.seconds(30)))
        let object = try await moto.object("pushes/today/abc.jpg")
        #expect(object.status == 200 && object.body == photo)
        #expect(object.headers["content-type"] == "image/jpeg")
        #expect(object.headers["cache-control"] == "public, max-age=3600, immutable")
        #expect(object.headers["content-disposition"] == "inline; filename=\"abc.jpg\"")
    }

    @Test("a file of more than a megabyte, for which libcurl sends Expect first, arrives whole")
    func large() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let bucket = try Bucket(moto.settings(), keep: .seconds(3600))
        try await bucket.publish(PublishedFile(bytes, name: "abc.mp4", format: .mp4), until: .in(.seconds(30)))
        let object = try await moto.object("pushes/today/abc.mp4")
        #expect(object.body == bytes && object.headers["content-type"] == "video/mp4")
    }

    @Test("temporary credentials are used with their token, even from a file that is replaced meanwhile")
    func lent() async throws {
        let folder = try TemporaryFolder()
        let file = SecretFile(folder.url.appending(path: "credentials").path)
        func write(_ user: MotoServer.User) throws {
            let text = """
                [other]
                aws_access_key_id = nobody
                aws_secret_access_key = nothing
                [default]
                # Of the role.
                aws_access_key_id = \(user.accessKeyID)
                aws_secret_access_key = \(user.secretAccessKey)
                \(user.sessionToken.map { "aws_session_token = \($0)" } ?? "")
                """
            try folder.write(text, to: "credentials")
        }
        var settings = try moto.settings()
        settings.credentials = .file(file, profile: "default")
        let bucket = Bucket(settings, keep: .seconds(3600))
        try write(moto.lent)
        try await bucket.publish(PublishedFile(photo, name: "lent.jpg"), until: .in(.seconds(30)))
        try write(moto.writer)
        try await bucket.publish(PublishedFile(photo, name: "own.jpg"), until: .in(.seconds(30)))
        #expect(try await moto.keys().sorted() == ["pushes/today/lent.jpg", "pushes/today/own.jpg"])
        try folder.write("", to: "credentials")
        await #expect {
            try await bucket.publish(PublishedFile(photo, name: "none.jpg"), until: .in(.seconds(30)))
        } throws: { error in
            (error as? AttachmentFailure)?.message.contains("has no access key and secret in its section [default]")
                == true
        }
    }

    @Test(
        "wrong credentials, rights, buckets and regions are refused by the store, and the message says what to do",
        arguments: [
            ("key", "InvalidAccessKeyId", "does not know this access key"),
            ("secret", "SignatureDoesNotMatch", "--publish-region"),
            ("token", "InvalidToken", "Renew the credentials"),
            ("rights", "AccessDenied", "s3:PutObject"),
            ("bucket", "NoSuchBucket", "--publish"),
        ]
    )
    func refused(what: String, code: String, advice: String) async throws {
        var settings = try moto.settings()
        var credentials = moto.writer.credentials
        switch what {
        case "key": credentials.accessKeyID = "AKIAAAAAAAAAAAAAAAAA"
        case "secret": credentials.secretAccessKey = Secret(moto.writer.secretAccessKey + "x")
        case "token":
            credentials = moto.lent.credentials
            credentials.sessionToken = moto.lent.sessionToken.map { Secret($0 + "x") }
        case "rights": credentials = moto.reader.credentials
        default: settings.address = try moto.address("s3://nobody")
        }
        settings.credentials = .fixed(credentials)
        let bucket = Bucket(settings, keep: .seconds(3600))
        await #expect {
            try await bucket.publish(PublishedFile(photo, name: "abc.jpg"), until: .in(.seconds(30)))
        } throws: { error in
            guard let failure = error as? AttachmentFailure else { return false }
            #expect(failure.message.contains(code) && failure.message.contains(advice), "\(failure.message)")
            #expect(!failure.message.contains(credentials.secretAccessKey.revealed))
            return failure.stage == .store && failure.code == .attachmentMoveIntoDataStoreFailed
        }
        #expect(try await moto.keys() == [])
    }

    @Test("the check puts an empty object and removes it; without the right to, it gives the reason")
    func check() async throws {
        let bucket = try Bucket(moto.settings(), keep: .seconds(3600))
        #expect(try await bucket.check(until: .in(.seconds(30))) == nil)
        #expect(try await moto.keys() == [])
        let other = try Bucket(moto.settings(moto.reader), keep: .seconds(3600))
        await #expect(throws: AttachmentFailure.self) { try await other.check(until: .in(.seconds(30))) }
    }

    @Test("an existing object is not put again, however many callers put it at once")
    func once() async throws {
        let events = RecordedEvents<PublishEvent>()
        let bucket = try Bucket(moto.settings(), keep: .seconds(3600), recorder: events)
        let file = try PublishedFile(photo, name: "abc.jpg")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await bucket.publish(file, until: .in(.seconds(30))) } }
            try await group.waitForAll()
        }
        try await bucket.publish(file, until: .in(.seconds(30)))
        #expect(events.count { if case .published = $0 { true } else { false } } == 1)
    }
}
