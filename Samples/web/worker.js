// The smallest service worker that shows a push with its picture: the ready file, or the tiny picture inside the payload
// when the file cannot be had.
importScripts("thumbhash.js");

self.addEventListener("push", event => event.waitUntil(show(event.data.json())));

async function show({ notification: { title, image, ...options }, attachments = [] }) {
  const picture = await isThere(image) ? image : await inlinePicture(attachments[0]?.inline);
  await self.registration.showNotification(title, picture ? { ...options, image: picture } : options);
}

// A browser shows a notification without its picture if it cannot load it, and tells nobody. So the worker asks first;
// the browser takes the answer from its cache then. Without CORS, no more is known than that there is an answer.
async function isThere(url) {
  if (!url) return false;
  try {
    await (await fetch(url, { mode: "no-cors", signal: AbortSignal.timeout(10_000) })).blob();
    return true;
  } catch {
    return false;
  }
}

// Takes `{"thumbhash": BASE64, "type": MIME, "data": BASE64}`, of which `type` and `data` may be missing.
async function inlinePicture(inline) {
  if (inline?.data) return `data:${inline.type};base64,${inline.data}`;
  if (!inline?.thumbhash) return undefined;
  const { width, height, pixels } = decodeThumbHash(Uint8Array.from(atob(inline.thumbhash), each => each.charCodeAt(0)));
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}
