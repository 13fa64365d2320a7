import Payloads
import Preview

/// The description of the HTTP API: `openapi.json`, with the names that only this server has.
struct OpenAPIDescription {
    private var value: JSONValue

    /// Creates the description of a server with these profiles and dialects. With a token, every request must send it.
    init(profiles: [String], dialects: [String], categories: [NotificationCategory], needsToken: Bool) {
        guard let value = try? JSONValue(parsing: PackageResources.openapi_json) else {
            preconditionFailure("openapi.json is not JSON")
        }
        self.value = value
        if needsToken { set(.array([.object([.init("token", .array([]))])]), at: ["security"]) }
        for (name, names) in [("Profile", profiles), ("Dialect", dialects)] {
            set(.array(names.map { .string($0) }), at: ["components", "schemas", name, "enum"])
        }
        let forms = JSONPointer(tokens: ["components", "schemas", "NotificationResponse", "anyOf"])
        if case .array(let systemActions)? = value.value(at: forms) {
            let actions = categories.flatMap { category in category.actions.map { Self.form($0, of: category) } }
            set(.array(systemActions + actions), at: forms.tokens)
        }
    }

    var bytes: [UInt8] { value.compactBytes }

    /// Returns the schema of a response with one action. It has a text only if the action has an input.
    private static func form(_ action: NotificationAction, of category: NotificationCategory) -> JSONValue {
        let isOfCategory: JSONValue = [
            "required": ["aps"],
            "properties": [
                "aps": [
                    "type": "object", "required": ["category"],
                    "properties": ["category": ["const": .string(category.identifier)]],
                ]
            ],
        ]
        let properties: JSONValue = [
            "actionIdentifier": ["const": .string(action.identifier)],
            "notification": ["properties": ["payload": isOfCategory]],
        ]
        let text: JSONValue = ["required": ["userText"]]
        return action.textInput == nil
            ? ["properties": properties, "not": text] : ["properties": properties, "required": ["userText"]]
    }

    private mutating func set(_ new: JSONValue, at tokens: [String]) {
        precondition(value.value(at: JSONPointer(tokens: tokens)) != nil, "openapi.json has nothing at \(tokens)")
        value.set(at: JSONPointer(tokens: tokens), to: new)
    }
}
