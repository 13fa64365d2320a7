// A category's layout in a frame without scripts. It opens with its ratio and then gets the height of its content.

export function showLayout(frame, content, lease) {
  const isFirst = !frame.dataset.shown;
  if (isFirst) {
    frame.style.aspectRatio = `1 / ${frame.dataset.ratio}`;
    frame.inert = "inert" in frame.dataset;
    frame.dataset.shown = "";
  }
  frame.addEventListener("load", () => settle(frame), { once: true });
  post(frame, { category: frame.dataset.category, content: JSON.stringify(content), lease: lease?.name ?? "" });
}

// The content is posted by a form, so that it is not part of a URL that logs record.
function post(frame, fields) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/preview/layout";
  form.target = frame.name;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

function settle(frame) {
  const page = frame.contentDocument;
  const height = () => page.documentElement.getBoundingClientRect().height;
  const resize = () => {
    frame.style.aspectRatio = "auto";
    frame.style.height = `${Math.ceil(height())}px`;
  };
  page.dir = frame.closest("[dir]").dir;
  page.documentElement.dataset.theme = frame.closest("[data-theme]").dataset.theme;
  // Attachments change the height when they load.
  for (const image of page.images) image.addEventListener("load", resize, { once: true });
  resize();
  if ("overridesTitle" in frame.dataset && page.title) {
    frame.closest(".card").querySelector("[data-app-name]").textContent = page.title;
  }
  frame.dataset.settled = "";
}

// Applies a switch to the shown layout.
export function restyleLayout(frame) {
  if (frame.contentDocument && "settled" in frame.dataset) settle(frame);
}
