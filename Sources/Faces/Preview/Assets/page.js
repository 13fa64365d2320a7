// The page: its input, and the requests for what to show.

import { log } from "./exchange.js";
import { parse } from "./json.js";
import { decode, encode } from "./link.js";
import { Stage } from "./stage.js";

const [composer, payload, sample, job, jobProblem, profile, deadline, size, status] =
  ["composer", "payload", "sample", "job", "job-problem", "profile", "deadline", "size", "status"]
    .map(id => document.getElementById(id));
const switches = { state: "after", theme: "light", direction: "ltr", width: "wide" };
let current = null;
// The job whose payload is in the field, and the request for it.
let picked = "";
let picking = Promise.resolve();

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
  goTo(document.getElementById("result"));
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

// Where the result and the payload are below each other, scrolls to one of them.
function goTo(part) {
  if (matchMedia("(max-width: 900px)").matches) part.scrollIntoView();
}

function pickJob() {
  const id = job.value.trim();
  if (id !== picked) {
    picked = id;
    picking = fetchJob(id).catch(error => reportJob(error.message));
  }
  return picking;
}

// Shows a problem with the chosen job beside its field, or removes it.
function reportJob(problem) {
  jobProblem.textContent = problem;
  job.ariaInvalid = String(problem !== "");
}

async function fetchJob(id) {
  reportJob("");
  if (!id) return;
  const answer = await fetch(`/preview/jobs?id=${encodeURIComponent(id)}`);
  const text = await answer.text();
  if (id !== picked) return;
  if (!answer.ok) return reportJob(`${JSON.parse(text).detail} The payload below is not from this job.`);
  const { payload: content, profile: name, deadline: time } = parse(text);
  fill(JSON.stringify(content, null, 2));
  profile.value = name ?? "";
  deadline.value = time ?? "";
  say("The job's payload; choose Show.");
}

// Chooses a job, and shows it if it exists.
async function showJob() {
  await pickJob();
  if (job.ariaInvalid !== "true") composer.requestSubmit();
}

function forgetJob() {
  job.value = "";
  picked = "";
  reportJob("");
}

composer.addEventListener("submit", event => {
  event.preventDefault();
  show().catch(error => say(error.message, true));
});
composer.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.isComposing) return;
  if (event.target === job && job.value) {
    event.preventDefault();
    showJob();
  } else if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    composer.requestSubmit();
  }
});
payload.addEventListener("input", measure);
sample.addEventListener("change", () => {
  if (!sample.value) return;
  forgetJob();
  fill(sample.selectedOptions[0].dataset.payload);
});
job.addEventListener("focus", listJobs);
job.addEventListener("change", pickJob);
// The fragment is the page's state, so a link within the page must not replace it.
for (const link of document.querySelectorAll("a[href^='#']")) {
  link.addEventListener("click", event => {
    event.preventDefault();
    const part = document.querySelector(link.hash);
    part.scrollIntoView();
    part.focus({ preventScroll: true });
  });
}
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
