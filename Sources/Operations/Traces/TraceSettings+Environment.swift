import Values

extension TraceSettings {
    /// Reads the variables. Returns `nil` if traces are off, as they are unless a variable names an endpoint or an
    /// exporter. An empty variable counts as missing.
    package static func read(_ environment: [String: String]) throws(TraceSettingsError) -> TraceSettings? {
        let variables = TraceVariables(environment)
        guard variables["OTEL_SDK_DISABLED"]?.lowercased() != "true" else { return nil }
        switch variables["OTEL_TRACES_EXPORTER"] {
        case nil: if !variables.namesEndpoint { return nil }
        case "none": return nil
        case "otlp": break
        case let other?:
            throw TraceSettingsError(
                variable: "OTEL_TRACES_EXPORTER",
                advice: "\"\(other.onOneLine(limit: 64))\" is not available. Write otlp or none.",
            )
        }
        var settings = TraceSettings(endpoint: try variables.endpoint())
        settings.format = try variables.format()
        settings.headers = try variables.pairs("HEADERS").mapValues { Secret($0) }
        settings.authoritiesFile = variables.exporter("CERTIFICATE")?.value
        settings.sampler = try variables.sampler()
        settings.batches = try variables.batches()
        let pairs = try variables.pairs(in: "OTEL_RESOURCE_ATTRIBUTES")
        settings.resource.merge(pairs) { $1 }
        if let name = variables["OTEL_SERVICE_NAME"] { settings.resource["service.name"] = name }
        try variables.refuseUnsupported()
        return settings
    }
}
