// One result on the page: its players, its switches, and the lease while it is shown.

import { parse } from "./json.js";
import { restyleLayout, showLayout } from "./layout.js";
import { Lease } from "./lease.js";
import { Responses } from "./responses.js";
import { drawThumbnails } from "./thumbnail.js";

const stage = document.getElementById("stage");

// Makes a picture's box as wide as the picture, so that the squares behind transparent parts are nowhere beside it.
function fit(image) {
  image.style.maxWidth = `${parseFloat(getComputedStyle(image).maxHeight) * image.naturalWidth / image.naturalHeight}px`;
}

// Gives the subtitle the lines of its card that the title and the body leave, at least two of six. Sees every change of
// their size: other texts, a narrow phone.
const sharing = new ResizeObserver(entries => {
  for (const { target: words } of entries) {
    const used = [...words.querySelectorAll(".title, .body")]
      .map(text => Math.round(text.clientHeight / parseFloat(getComputedStyle(text).lineHeight)));
    words.style.setProperty("--lines", Math.max(2, 6 - used.reduce((sum, lines) => sum + lines, 0)));
  }
});

export class Stage {
  // `html` comes from attachd. All fields in it from a payload are escaped.
  constructor(html, switches, onSwitch) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    this.article = document.adoptNode(parsed.querySelector("article"));
    this.places = this.article.querySelector(".places");
    this.frame = this.article.querySelector("iframe");
    this.notification = parse(this.article.dataset.notification);
    this.onSwitch = onSwitch;
    this.switches = switches;
    sharing.disconnect();
    stage.replaceChildren(this.article);
    for (const words of this.article.querySelectorAll(".card .words")) sharing.observe(words);
    for (const button of this.buttons) this.set(button, switches[button.dataset.switch]);
    this.article.addEventListener("click", event => this.click(event));
    this.article.addEventListener("viewclosed", () => this.close());
    this.article.addEventListener("viewopened", () => this.open());
    new Responses(this.article, this.notification, content => this.update(content));
  }

  get buttons() {
    return this.article.querySelectorAll("[data-switch]");
  }

  // Access to the attachments starts here.
  async open() {
    const files = this.article.querySelectorAll("[data-media], [data-thumbnail]");
    const shown = Array.from(files, file => file.dataset.media ?? file.dataset.thumbnail);
    const names = [...new Set(this.notification.attachments.map(attachment => attachment.name).concat(shown))];
    this.lease = names.length > 0 ? await Lease.open(names) : null;
    const urls = this.lease?.urls ?? {};
    for (const media of this.article.querySelectorAll("[data-media]")) {
      const url = urls[media.dataset.media];
      if (media.tagName === "IMG") media.addEventListener("load", () => fit(media), { once: true });
      if (url) media.src = url;
      else media.replaceWith("The attachment is no longer there: show the payload again.");
    }
    if (this.frame) showLayout(this.frame, this.content, this.lease);
    await drawThumbnails(this.article.querySelectorAll("[data-thumbnail]:not([data-drawn])"), urls);
    stage.ariaBusy = "false";
  }

  // Access stops here. Players release their files, so that they stop playing.
  async close() {
    for (const media of this.article.querySelectorAll("audio, video")) {
      media.pause();
      media.removeAttribute("src");
      media.load();
    }
    const lease = this.lease;
    this.lease = null;
    await lease?.close();
  }

  get content() {
    return { ...this.notification.content, attachments: this.notification.attachments };
  }

  // Shows the content of the webhook's answer.
  update({ userInfo, ...texts }) {
    const content = this.notification.content;
    Object.assign(content, texts);
    content.userInfo = { ...content.userInfo, ...userInfo };
    this.notification.payload = { ...this.notification.payload, ...userInfo };
    for (const [name, text] of Object.entries(texts)) {
      for (const field of this.article.querySelectorAll(`.place:not([data-other]) [data-field="${name}"]`)) {
        field.textContent = text;
        field.hidden = text === "";
      }
    }
    if (this.frame) showLayout(this.frame, this.content, this.lease);
  }

  click(event) {
    const button = event.target.closest("[data-switch]");
    if (!button) return;
    const [off, on] = button.dataset.values.split(" ");
    const name = button.dataset.switch;
    this.switches[name] = this.switches[name] === on ? off : on;
    this.set(button, this.switches[name]);
    this.onSwitch();
  }

  set(button, value) {
    const [off, on] = button.dataset.values.split(" ");
    button.setAttribute("aria-pressed", String(value === on));
    switch (button.dataset.switch) {
    case "theme": this.places.dataset.theme = value ?? off; break;
    case "width": this.places.dataset.width = value ?? off; break;
    case "direction": this.places.dir = value ?? off; break;
    case "state": this.setState(value ?? off); break;
    }
    if (this.frame) restyleLayout(this.frame);
  }

  // Before processing, a notification has only its texts.
  setState(state) {
    this.article.dataset.state = state;
    for (const field of this.article.querySelectorAll("[data-before]")) {
      field.dataset.after ??= field.textContent;
      field.textContent = state === "before" ? field.dataset.before : field.dataset.after;
      field.hidden = field.textContent === "";
    }
  }
}
