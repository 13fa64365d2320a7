// The smallest service worker that shows a push with its picture: the ready file, or the tiny picture inside the payload
// when the file cannot be had.
importScripts("thumbhash.js");

self.addEventListener("push", event => event.waitUntil(show(event.data.json())));

async function show({ notification: { title, image, ...options }, attachments = [] }) {
  const picture = await isThere(image) ? image : await inlinePicture(attachments[0]?.inline);
  await self.registration.showNotification(title, picture ? { ...options, image: picture } : options);
}

// A browser that cannot load a notification's picture leaves it out, and tells nobody. So the worker asks for it first.
// Without CORS it learns only whether there is an answer, which is enough to notice that the network is away.
async function isThere(url) {
  if (!url) return false;
  try {
    await fetch(url, { mode: "no-cors", signal: AbortSignal.timeout(10_000) });
    return true;
  } catch {
    return false;
  }
}

// Takes `{"thumbhash": BASE64, "type": MIME, "data": BASE64}`, of which `type` and `data` may be missing. A damaged one
// must not take the notification with it.
async function inlinePicture(inline) {
  if (inline?.data) return `data:${inline.type};base64,${inline.data}`;
  if (!inline?.thumbhash) return undefined;
  return drawn(inline.thumbhash).catch(() => undefined);
}

async function drawn(thumbhash) {
  const { width, height, pixels } = decodeThumbHash(Uint8Array.from(atob(thumbhash), each => each.charCodeAt(0)));
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}
