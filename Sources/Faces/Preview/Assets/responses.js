// Actions and replies. attachd forwards each to the operator's webhook, and the page carries out its answer.

import { log } from "./exchange.js";
import { parse } from "./json.js";

const dismissal = "com.apple.UNNotificationDismissActionIdentifier";
// The time for which an update is shown before the notification is dismissed.
const lastLook = 1800;

export class Responses {
  constructor(article, notification, update) {
    this.article = article;
    this.notification = notification;
    this.update = update;
    this.view = article.querySelector("[data-view]");
    this.gone = article.querySelector("[data-gone]");
    this.reaction = article.querySelector("[data-reaction]");
    article.addEventListener("click", event => this.click(event));
    article.addEventListener("submit", event => this.submit(event));
  }

  click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if ("again" in button.dataset) return this.show();
    const action = button.dataset.action;
    if (!action) return;
    if ("asks" in button.dataset) return this.ask(button);
    if (action === dismissal && !("tellsOfDismissal" in this.article.dataset)) {
      return this.dismiss("Dismissed. The category doesn't ask to be told (customDismissAction), so nobody is.");
    }
    this.respond(action);
  }

  ask(button) {
    const form = button.nextElementSibling;
    form.hidden = !form.hidden;
    button.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) form.querySelector("input").focus();
  }

  submit(event) {
    event.preventDefault();
    const field = event.target.querySelector("input");
    this.respond(event.target.dataset.reply, field.value);
    field.value = "";
  }

  async respond(actionIdentifier, userText) {
    const response = { actionIdentifier, notification: this.request };
    if (userText !== undefined) response.userText = userText;
    const body = JSON.stringify(response);
    this.say("Sent …");
    const focused = document.activeElement;
    this.view.inert = true;
    try {
      const answer = await fetch("/v1/responses", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      });
      const text = await answer.text();
      const result = parse(text);
      log(`${actionIdentifier} → ${answer.ok ? result.option : answer.status}`, "/v1/responses", body, text);
      if (!answer.ok) throw new Error(result.detail);
      await this.follow(result, response);
    } catch (error) {
      this.say(error.message, true);
    } finally {
      this.view.inert = false;
      if (!this.view.hidden) focused.focus();
    }
  }

  get request() {
    return { identifier: this.notification.identifier, payload: this.notification.payload };
  }

  async follow({ option, content }, response) {
    this.say("");
    if (content) this.update(content);
    if (option === "doNotDismiss") return;
    if (content) await new Promise(resolve => setTimeout(resolve, lastLook));
    if (option === "dismiss") return this.dismiss("Dismissed.");
    const text = response.userText === undefined ? "" : ` and the text “\u2068${response.userText}\u2069”`;
    this.dismiss(`Dismissed, and forwarded: the app opens with the action ${response.actionIdentifier}${text}.`);
  }

  say(text, isBad = false) {
    this.reaction.textContent = text;
    this.reaction.classList.toggle("bad", isBad);
  }

  dismiss(text) {
    this.gone.querySelector("[data-gone-text]").textContent = text;
    this.view.hidden = true;
    this.gone.hidden = false;
    this.gone.querySelector("button").focus({ preventScroll: true });
    this.article.dispatchEvent(new CustomEvent("viewclosed"));
  }

  show() {
    this.view.hidden = false;
    this.gone.hidden = true;
    this.say("");
    this.article.dispatchEvent(new CustomEvent("viewopened"));
  }
}
