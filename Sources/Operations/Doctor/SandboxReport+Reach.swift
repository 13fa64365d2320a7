package import DecoderWire

extension SandboxReport {
    /// The things that an attacker could reach who took over a decoder, and found a way around one more layer.
    ///
    /// Where namespaces are forbidden, one layer stands where there were two.
    package var reach: String {
        func isOn(_ layer: SandboxLayer) -> Bool { self[layer] == .on }
        var found: [String] = []
        if !isOn(.systemCallFilter) { found.append("every system call that its user may make") }
        if !isOn(.emptyNetwork) {
            found.append("this machine's network" + (isOn(.systemCallFilter) ? ", past the system call filter" : ""))
        }
        if !isOn(.emptyRoot) {
            let walls = [(SandboxLayer.systemCallFilter, "the system call filter"), (.landlock, "Landlock")]
                .filter { isOn($0.0) }.map(\.1).joined(separator: " and ")
            found.append("files of attachd's user" + (walls.isEmpty ? "" : ", past \(walls)"))
        }
        guard !found.isEmpty else { return "nothing but its source, its outputs, and its own memory and time" }
        return found.joined(separator: "; ")
    }
}
