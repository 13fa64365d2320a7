/// The rules for keeping ready files: their lifetime and their disk space.
package struct Retention: Sendable, Equatable {
    /// The lifetime of a file since it was last stored. Its URL expires with it.
    package var keep: Duration
    /// The maximum size of all ready files, in bytes.
    package var quota: Int
    /// The minimum age of a file that is removed to free space. The push of a younger file may still be on its way to
    /// phones.
    package var protection: Duration
    /// The maximum time for which a reader keeps a file in the store. A download takes seconds.
    package var longestLease: Duration
    /// The minimum free space of the disk, in bytes. `nil` means 256 MB, or a twentieth of a smaller disk.
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
