// A category's own layout, in a frame without scripts. It opens at its ratio, then takes the height that it wants.

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

// The layout's address carries nothing, so that no log has it: the content is in a form.
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
  // Attachments change its height when they come.
  for (const image of page.images) image.addEventListener("load", resize, { once: true });
  resize();
  if ("overridesTitle" in frame.dataset && page.title) {
    frame.closest(".card").querySelector("[data-app-name]").textContent = page.title;
  }
  frame.dataset.settled = "";
}

// Tells a layout that is shown of a switch.
export function restyleLayout(frame) {
  if (frame.contentDocument && "settled" in frame.dataset) settle(frame);
}
