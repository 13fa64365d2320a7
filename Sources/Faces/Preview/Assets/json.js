// JSON whose numbers keep all digits if the browser supports that: 9007199254740993 does not fit a Double.

export function parse(text) {
  return JSON.parse(text, (key, value, context) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source || !JSON.rawJSON) return value;
    return JSON.rawJSON(source);
  });
}
