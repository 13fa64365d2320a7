import Payloads
import Preview

/// The description of the HTTP API: `openapi.json`, with the names that only this server has.
struct OpenAPIDescription {
    private var value: JSONValue

    /// Creates the description of a server with these profiles and dialects. With a token, every request must send it.
    /// Without `hasMetrics`, another server has the metrics.
    init(profiles: [String], dialects: [String], categories: [NotificationCategory], needsToken: Bool, hasMetrics: Bool)
    {
        guard let value = try? JSONValue(parsing: PackageResources.openapi_json) else {
            preconditionFailure("openapi.json is not JSON")
        }
        self.value = value
        if !hasMetrics, case .object(let paths)? = value["paths"] {
            set(.object(paths.filter { $0.key != "/metrics" }), at: ["paths"])
        }
        if needsToken { set(.array([.object([.init("token", .array([]))])]), at: ["security"]) }
        for (name, names) in [("Profile", profiles), ("Dialect", dialects)] {
            set(.array(names.map { .string($0) }), at: Self.schemas + [name, "enum"])
        }
        let forms = categories.flatMap { category in category.actions.map { Self.form($0, of: category) } }
        for (index, form) in forms.enumerated() { add(form, named: "ActionResponse\(index + 1)") }
    }

    private static let schemas = ["components", "schemas"]

    /// Adds a form of response as a schema with a name, because generators of clients need one.
    private mutating func add(_ form: JSONValue, named name: String) {
        let variants = Self.schemas + ["NotificationResponse", "anyOf"]
        guard case .object(let known)? = value.value(at: JSONPointer(tokens: Self.schemas)),
            case .array(let others)? = value.value(at: JSONPointer(tokens: variants))
        else { return }
        set(.object(known + [.init(name, form)]), at: Self.schemas)
        set(.array(others + [["$ref": .string("#/components/schemas/\(name)")]]), at: variants)
    }

    var bytes: [UInt8] { value.compactBytes }

    /// Returns the schema of a response with one action. It has a text only if the action has an input.
    private static func form(_ action: NotificationAction, of category: NotificationCategory) -> JSONValue {
        let aps: JSONValue = [
            "type": "object", "required": ["category"],
            "properties": ["category": ["type": "string", "const": .string(category.identifier)]],
        ]
        let payload: JSONValue = ["type": "object", "required": ["aps"], "properties": ["aps": aps]]
        let notification: JSONValue = [
            "type": "object", "required": ["identifier", "payload"],
            "properties": ["identifier": ["type": "string", "minLength": 1], "payload": payload],
        ]
        let identifier: JSONValue = ["type": "string", "const": .string(action.identifier)]
        let description = JSONValue.string("The action \(action.identifier) of the category \(category.identifier).")
        guard action.textInput != nil else {
            return [
                "type": "object", "description": description, "required": ["actionIdentifier", "notification"],
                "properties": ["actionIdentifier": identifier, "notification": notification],
                "not": ["required": ["userText"]],
            ]
        }
        return [
            "type": "object", "description": description,
            "required": ["actionIdentifier", "userText", "notification"],
            "properties": [
                "actionIdentifier": identifier, "userText": ["type": "string"], "notification": notification,
            ],
        ]
    }

    private mutating func set(_ new: JSONValue, at tokens: [String]) {
        precondition(value.value(at: JSONPointer(tokens: tokens)) != nil, "openapi.json has nothing at \(tokens)")
        value.set(at: JSONPointer(tokens: tokens), to: new)
    }
}
