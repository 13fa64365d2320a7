// The page's state in a link. It is in the fragment, which browsers do not send to servers.

const mark = "#preview=";

async function through(stream, bytes) {
  const body = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

export async function encode(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  const text = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return mark + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Returns null for a fragment that this page did not make.
export async function decode(fragment) {
  if (!fragment.startsWith(mark)) return null;
  try {
    const text = atob(fragment.slice(mark.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, character => character.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
    return typeof state?.payload === "string" ? state : null;
  } catch {
    return null;
  }
}
