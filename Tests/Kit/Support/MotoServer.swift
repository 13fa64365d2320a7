import Foundation
package import Testing

/// A real S3 API on a free port of loopback: moto's server, which checks signatures and rights. Its bucket `media` is
/// in `eu-central-1`, and everybody may read it. The server ends with this value.
package final class MotoServer: Sendable {
    /// The folder in which `python_tools` of Scripts/common.sh installs the tests' Python packages.
    private static let tools = SharedMedia.packageRoot.appending(path: ".build/python/bin").path

    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "\(tools)/moto_server") }

    /// A known user, by the credentials for signing.
    package struct User: Sendable {
        package var accessKeyID: String
        package var secretAccessKey: String
        package var sessionToken: String?
    }

    package static let bucket = "media"
    package static let region = "eu-central-1"

    package let port: Int
    /// A user who may put and delete objects in the bucket.
    package let writer: User
    /// The same rights, with temporary credentials.
    package let lent: User
    /// A user who may only read.
    package let reader: User
    /// A user who might read until the key was deleted.
    package let former: User
    private let process: ChildProgram
    private let folder: TemporaryFolder

    package init() throws {
        folder = try TemporaryFolder()
        let errors = folder.url.appending(path: "errors").path
        process = try ChildProgram(["\(Self.tools)/python", "-c", Self.program], in: folder.url, errors: errors)
        guard let line = try process.readLine(beginning: "ready ") else {
            process.wait()
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw HTTPClient.Failure(message: "moto ended: \(text)")
        }
        let words = line.split(separator: " ").map(String.init)
        port = Int(words[1]) ?? 0
        writer = User(accessKeyID: words[2], secretAccessKey: words[3])
        reader = User(accessKeyID: words[4], secretAccessKey: words[5])
        former = User(accessKeyID: words[6], secretAccessKey: words[7])
        lent = User(accessKeyID: words[8], secretAccessKey: words[9], sessionToken: words[10])
    }

    deinit { process.kill() }

    /// Stops the process: connections stay open, and nothing is answered.
    package func pause() { kill(pid_t(process.identifier), SIGSTOP) }

    package func resume() { kill(pid_t(process.identifier), SIGCONT) }

    /// Fetches an object without credentials, over plain HTTP.
    package func object(_ key: String) async throws -> HTTPClient.Answer {
        // Without this moto would answer only signed requests, which phones don't make.
        try await checksSignatures(false)
        let answer = try await HTTPClient.send(path: "/\(Self.bucket)/\(key)", port: port)
        try await checksSignatures(true)
        return answer
    }

    /// Puts an object into the bucket, over plain HTTP.
    package func put(_ key: String, _ bytes: [UInt8]) async throws {
        try await checksSignatures(false)
        let answer = try await HTTPClient.send("PUT", path: "/\(Self.bucket)/\(key)", port: port, body: bytes)
        try await checksSignatures(true)
        guard answer.status == 200 else { throw HTTPClient.Failure(message: answer.text) }
    }

    /// Returns the keys in the bucket.
    package func keys() async throws -> [String] {
        try await checksSignatures(false)
        let list = try await HTTPClient.send(path: "/\(Self.bucket)?list-type=2", port: port)
        try await checksSignatures(true)
        return list.text.matches(of: /<Key>([^<]*)<\/Key>/).map { String($0.1) }
    }

    private func checksSignatures(_ checks: Bool) async throws {
        _ = try await HTTPClient.send(
            "POST",
            path: "/moto-api/reset-auth",
            port: port,
            headers: ["Content-Type": "text/plain"],
            body: Array((checks ? "0" : "1000000").utf8),
        )
    }

    private static let program = """
        import boto3, json, logging, signal, urllib.request
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        port = server.get_host_and_port()[1]
        url = f"http://127.0.0.1:{port}"

        def client(service):
            return boto3.client(service, endpoint_url=url, region_name="\(region)",
                                aws_access_key_id="a", aws_secret_access_key="b")

        def policy(*actions, **more):
            statement = {"Effect": "Allow", "Action": actions, "Resource": "*", **more}
            return json.dumps({"Version": "2012-10-17", "Statement": [statement]})

        s3, iam, sts = client("s3"), client("iam"), client("sts")
        s3.create_bucket(Bucket="\(bucket)", CreateBucketConfiguration={"LocationConstraint": "\(region)"})
        s3.put_bucket_policy(Bucket="\(bucket)", Policy=policy(
            "s3:GetObject", "s3:ListBucket", Principal="*", Resource=["arn:aws:s3:::\(bucket)", "arn:aws:s3:::\(bucket)/*"]))
        words = [str(port)]
        for name, actions in [("writer", ["s3:PutObject", "s3:DeleteObject"]), ("reader", ["s3:GetObject"]),
                              ("former", ["s3:GetObject"])]:
            iam.create_user(UserName=name)
            iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy(*actions))
            key = iam.create_access_key(UserName=name)["AccessKey"]
            words += [key["AccessKeyId"], key["SecretAccessKey"]]
        iam.delete_access_key(UserName="former", AccessKeyId=key["AccessKeyId"])
        role = iam.create_role(RoleName="r", AssumeRolePolicyDocument=policy("sts:AssumeRole", Principal="*"))
        iam.put_role_policy(RoleName="r", PolicyName="p", PolicyDocument=policy("s3:PutObject", "s3:DeleteObject", "s3:GetObject"))
        lent = sts.assume_role(RoleArn=role["Role"]["Arn"], RoleSessionName="attachd")["Credentials"]
        words += [lent["AccessKeyId"], lent["SecretAccessKey"], lent["SessionToken"]]
        urllib.request.urlopen(urllib.request.Request(
            url + "/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}, method="POST")).read()
        print("ready", *words, flush=True)
        signal.pause()
        """
}

extension Trait where Self == ConditionTrait {
    /// A trait that runs a test only where moto is installed.
    package static var needsMoto: Self {
        .enabled(if: MotoServer.isInstalled, "moto is not installed; Scripts/test does that")
    }
}
