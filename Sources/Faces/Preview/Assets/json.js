// JSON whose numbers keep all of their digits, where the browser can do that: 9007199254740993 is no Double.

export function parse(text) {
  return JSON.parse(text, (key, value, context) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source || !JSON.rawJSON) return value;
    return JSON.rawJSON(source);
  });
}
