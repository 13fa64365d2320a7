/// The meaning of a picture's red, green and blue, where no colour profile says it.
package struct ColourCoding: Sendable, Equatable {
    package var primaries: ColourPrimaries
    package var transfer: TransferFunction
    /// A Boolean value that indicates whether the code values leave room below black and above white, as television's
    /// do: 16 is black and 235 white.
    package var hasHeadroom: Bool

    package init(primaries: ColourPrimaries, transfer: TransferFunction, hasHeadroom: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.hasHeadroom = hasHeadroom
    }

    /// Creates the coding that ITU-T H.273 (CICP) describes by numbers. A number that names nothing means sRGB.
    package init(primaries: Int, transfer: Int, hasHeadroom: Bool = false) {
        self.init(
            primaries: ColourPrimaries(number: primaries) ?? .standard,
            transfer: TransferFunction(number: transfer) ?? .standard,
            hasHeadroom: hasHeadroom,
        )
    }

    /// A Boolean value that indicates whether the values are those of sRGB to within a step or two of 255.
    package var isStandard: Bool {
        guard transfer == .standard, !hasHeadroom else { return false }
        return primaries.toStandard.map { $0.distance(to: .identity) < 0.005 } ?? true
    }
}
