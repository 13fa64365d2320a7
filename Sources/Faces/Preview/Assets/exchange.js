// The requests and answers of the page, with commands to repeat them in a shell.

import { parse } from "./json.js";

const list = document.getElementById("exchange");
const token = "needsToken" in document.body.dataset ? ` -H "Authorization: Bearer $ATTACHD_TOKEN"` : "";

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curl(path, body) {
  const url = quoted(location.origin + path);
  return `curl -s ${url}${token} -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

function pretty(text) {
  return JSON.stringify(parse(text), null, 2);
}

function block(label, text) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const code = document.createElement("pre");
  summary.textContent = label;
  code.textContent = text;
  code.tabIndex = 0;
  details.append(summary, code);
  return details;
}

// Adds a line for one request; `body` and `answer` are JSON texts.
export function log(title, path, body, answer) {
  const entry = document.createElement("li");
  const heading = document.createElement("p");
  const time = document.createElement("time");
  time.textContent = new Date().toLocaleTimeString([], { hour12: false });
  heading.append(time, ` ${title}`);
  entry.append(heading, block("As a curl command", curl(path, body)));
  entry.append(block("Request", pretty(body)));
  if (answer) entry.append(block("Answer", pretty(answer)));
  list.prepend(entry);
}
