// The square thumbnail beside a collapsed notification: cropped, and of the frame or second that the options name.

// Draws the picture from `urls` into each canvas. Removes a canvas that cannot be drawn.
export async function drawThumbnails(canvases, urls) {
  await Promise.all(Array.from(canvases, async canvas => {
    try {
      const url = urls[canvas.dataset.thumbnail];
      const source = await sources[canvas.dataset.kind](url, Number(canvas.dataset.time));
      draw(canvas, source, canvas.dataset.crop.split(" ").map(Number));
      canvas.dataset.drawn = "";
    } catch {
      canvas.remove();
    }
  }));
}

const sources = { image: picture, animation: frame, video: second };

async function picture(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return { image, width: image.naturalWidth, height: image.naturalHeight };
}

// Uses the first frame if the browser cannot select frames.
async function frame(url, number) {
  if (!("ImageDecoder" in window)) return picture(url);
  const decoder = new ImageDecoder({ data: (await fetch(url)).body, type: "image/gif" });
  await decoder.completed;
  const last = decoder.tracks.selectedTrack.frameCount - 1;
  const { image } = await decoder.decode({ frameIndex: Math.min(number, last) });
  return { image, width: image.displayWidth, height: image.displayHeight };
}

async function second(url, seconds) {
  const video = document.createElement("video");
  video.muted = true;
  video.preload = "auto";
  video.src = url;
  await event(video, "loadeddata");
  if (seconds > 0) {
    video.currentTime = Math.min(seconds, video.duration - 0.05);
    await event(video, "seeked");
  }
  return { image: video, width: video.videoWidth, height: video.videoHeight };
}

function event(element, name) {
  return new Promise((resolve, reject) => {
    element.addEventListener(name, resolve, { once: true });
    element.addEventListener("error", reject, { once: true });
  });
}

// Fills the square with the middle of the remaining part.
function draw(canvas, { image, width, height }, [x, y, w, h]) {
  const side = Math.min(width * w, height * h);
  const left = width * x + (width * w - side) / 2;
  const top = height * y + (height * h - side) / 2;
  canvas.getContext("2d").drawImage(image, left, top, side, side, 0, 0, canvas.width, canvas.height);
}
