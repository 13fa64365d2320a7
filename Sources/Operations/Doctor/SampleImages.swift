import Foundation
import Media

/// Tiny images to test a decoder with, one for each supported format.
enum SampleImages {
    static let all: [(format: MediaFormat, bytes: [UInt8])] = [
        (
            .jpeg,
            decode(
                """
                /9j/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBD
                AQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAQABAD
                ASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG
                E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4
                eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6
                /8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEI
                FEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaH
                iImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIR
                AxEAPwCSiiivojxD/9k=
                """
            )
        ),
        (
            .png,
            decode(
                """
                iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAFklEQVQokWOI6jlBEmIY1TCq
                YfhqAAArnq4QpTV3WgAAAABJRU5ErkJggg==
                """
            )
        ),
        (
            .gif,
            decode(
                """
                R0lGODlhEAAQAIAAAEdwTFqMyCH/C05FVFNDQVBFMi4wAwEAAAAh+QQFAAAAACwAAAAAEAAQAAACDoyPqcvtD6OctNqLsz4FADs=
                """
            )
        ),
        (
            .webp,
            decode(
                """
                UklGRggBAABXRUJQVlA4WAoAAAAIAAAADwAADwAAVlA4ICgAAACwAQCdASoQABAAAgA0JaACdLoABdQAAJv/xDnQ50OX/v62vbeG
                FAAARVhJRroAAABFeGlmAABJSSoACAAAAAYAEgEDAAEAAAABAAAAGgEFAAEAAABWAAAAGwEFAAEAAABeAAAAKAEDAAEAAAACAAAA
                EwIDAAEAAAABAAAAaYcEAAEAAABmAAAAAAAAADhjAADoAwAAOGMAAOgDAAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAE
                AAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAAEAAAAAOgBAABAAAAEAAAAAAAAAA=
                """
            )
        ),
        (
            .heic,
            decode(
                """
                AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
                AA5waXRtAAAAAAACAAAAEGlkYXQAAAAAABAAEAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEAAAAAAAAAKgACAAEAAAAAAAAA
                AQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADYaXBycAAA
                ALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACpCAQED
                cAAAAwCQAAADAAADAB6gIIEFluqumubgQEDAgAAAAwCAAAADAIQiAAEABkQBwXPBiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlz
                cGUAAAAAAAAAEAAAABAAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGlt
                ZwACAAEAAQAAADJtZGF0AAAAJigBr1IV5STm/Oq8Wf3I7///1IFMiVHopEpbLaqAllpuq1CLS2yz
                """
            )
        ),
        (
            .avif,
            decode(
                """
                AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
                AA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAEOAAEAAAAAAAAAGgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEA
                AGF2MDEAAAAAamlwcnAAAABLaXBjbwAAABNjb2xybmNseAACAAIABoAAAAAMYXYxQ4EADAAAAAAUaXNwZQAAAAAAAAAQAAAAEAAA
                ABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgYIDhAAAACJtZGF0EgAKCRgM/9ggQEDQgDILGYAAAEAAgwFKVyQ=
                """
            )
        ),
        (
            .tiff,
            decode(
                """
                SUkqAAgDAABajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMhajMha
                jMhajMhajMhajMhajMhajMhajMhajMhajMgPAAABAwABAAAAEAAAAAEBAwABAAAAEAAAAAIBAwADAAAA0gMAAAMBAwABAAAAAQAA
                AAYBAwABAAAAAgAAABEBBAABAAAACAAAABIBAwABAAAAAQAAABUBAwABAAAAAwAAABYBAwABAAAAgAAAABcBBAABAAAAAAMAABoB
                BQABAAAAwgMAABsBBQABAAAAygMAABwBAwABAAAAAQAAACgBAwABAAAAAwAAAFMBAwADAAAA2AMAAAAAAAAKAAAAAQAAAAoAAAAB
                AAAACAAIAAgAAQABAAEA
                """
            )
        ),
    ]

    /// Returns the bytes of a sample in base64.
    static func decode(_ base64: String) -> [UInt8] {
        guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
            preconditionFailure("a sample is not base64")
        }
        return [UInt8](data)
    }
}
