/// How long ready files stay, and how much of the disk they may take.
package struct Retention: Sendable, Equatable {
    /// How long after it was last stored a file is there; its URL ends with it.
    package var keep: Duration
    /// The most bytes of all ready files together.
    package var quota: Int
    /// A file is not removed to make place before it is this old: its push is still on its way to the phones.
    package var protection: Duration
    /// After this time a reader no longer keeps a file in the store: a download takes seconds.
    package var longestLease: Duration
    /// What is left free of the disk; `nil` is 256 MB, or a twentieth of a smaller disk.
    package var freeSpaceFloor: Int?

    package init(
        keep: Duration = .seconds(24 * 3600),
        quota: Int = 10_000_000_000,
        protection: Duration = .seconds(60),
        longestLease: Duration = .seconds(300),
        freeSpaceFloor: Int? = nil,
    ) {
        self.keep = keep
        self.quota = quota
        self.protection = protection
        self.longestLease = longestLease
        self.freeSpaceFloor = freeSpaceFloor
    }

    func freeSpaceFloor(ofDisk size: Int) -> Int { freeSpaceFloor ?? min(256_000_000, size / 20) }
}
