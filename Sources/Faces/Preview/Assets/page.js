// The page: its input, and the requests for what to show.

import { log } from "./exchange.js";
import { parse } from "./json.js";
import { decode, encode } from "./link.js";
import { Stage } from "./stage.js";

const [composer, payload, sample, job, profile, deadline, size, status] =
  ["composer", "payload", "sample", "job", "profile", "deadline", "size", "status"].map(id => document.getElementById(id));
const switches = { state: "after", theme: "light", direction: "ltr", width: "wide" };
let current = null;

function say(text, isBad = false) {
  status.textContent = text;
  status.classList.toggle("bad", isBad);
}

function fill(text) {
  payload.value = text;
  measure();
}

function measure() {
  const bytes = new TextEncoder().encode(payload.value).length;
  size.textContent = `${bytes.toLocaleString("en")} bytes as written here`;
}

// The payload's text goes into the envelope unchanged, so that numbers keep all digits.
function envelope() {
  JSON.parse(payload.value);
  const options = {};
  if (profile.value) options.profile = profile.value;
  if (deadline.value) options.deadline = deadline.value;
  const rest = JSON.stringify(options).slice(1);
  return `{"payload":${payload.value}${rest === "}" ? "}" : `,${rest}`}`;
}

async function show() {
  let body;
  try {
    body = envelope();
  } catch (error) {
    return say(`The payload is not JSON: ${error.message}`, true);
  }
  say("Being made ready …");
  document.getElementById("stage").ariaBusy = "true";
  await current?.close();
  const answer = await fetch("/preview/notifications", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  const text = await answer.text();
  if (!answer.ok) {
    const problem = JSON.parse(text).detail;
    log(`Show → ${answer.status}`, "/v1/notifications", body, text);
    return say(answer.status === 401 ? `${problem} Load the page anew.` : problem, true);
  }
  current = new Stage(text, switches, remember);
  log(`Show → ${current.article.querySelector(".outcome").textContent}`, "/v1/notifications", body);
  await current.open();
  say("Shown.");
  remember();
}

async function remember() {
  const state = { payload: payload.value, profile: profile.value, deadline: deadline.value, switches };
  history.replaceState(null, "", await encode(state));
}

async function restore() {
  const state = await decode(location.hash);
  if (!state) return;
  fill(state.payload);
  profile.value = state.profile ?? "";
  deadline.value = state.deadline ?? "";
  for (const name of Object.keys(switches)) {
    const value = state.switches?.[name];
    if (typeof value === "string") switches[name] = value;
  }
  // A link does not start a request: the server fetches attachments only after the reader's click.
  say("A link's payload. Read it, then choose Show.");
}

async function listJobs() {
  const answer = await fetch("/preview/jobs");
  if (!answer.ok) return;
  document.getElementById("jobs").replaceChildren(...(await answer.json()).jobs.map(id => new Option(id, id)));
}

async function pickJob() {
  if (!job.value) return;
  const answer = await fetch(`/preview/jobs?id=${encodeURIComponent(job.value)}`);
  const text = await answer.text();
  if (!answer.ok) return say(JSON.parse(text).detail, true);
  const { payload: content, profile: name, deadline: time } = parse(text);
  fill(JSON.stringify(content, null, 2));
  profile.value = name ?? "";
  deadline.value = time ?? "";
  say("The job's payload; choose Show.");
}

composer.addEventListener("submit", event => {
  event.preventDefault();
  show().catch(error => say(error.message, true));
});
payload.addEventListener("input", measure);
sample.addEventListener("change", () => {
  if (sample.value) fill(sample.selectedOptions[0].dataset.payload);
});
job.addEventListener("focus", listJobs);
job.addEventListener("change", () => pickJob().catch(error => say(error.message, true)));
document.getElementById("copy-link").addEventListener("click", async () => {
  await remember();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("The link is in the address bar.");
  }
});
window.addEventListener("hashchange", restore);
window.addEventListener("pagehide", () => current?.close());
window.addEventListener("pageshow", event => {
  if (event.persisted) current?.open();
});

measure();
restore();
