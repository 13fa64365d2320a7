// Access to a view's attachments. It starts when the view opens, is renewed while it is open, and stops when it closes.

export class Lease {
  static async open(names) {
    const answer = await fetch("/preview/leases", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ attachments: names }),
    });
    if (!answer.ok) throw new Error((await answer.json()).detail);
    return new Lease(await answer.json());
  }

  constructor({ lease, renew, urls }) {
    this.name = lease;
    this.urls = urls;
    this.timer = setInterval(() => this.renew(), renew * 1000);
  }

  async renew() {
    const answer = await fetch(this.path, { method: "PUT" });
    if (answer.status === 404) clearInterval(this.timer);
  }

  // Also when the page is closed.
  close() {
    clearInterval(this.timer);
    return fetch(this.path, { method: "DELETE", keepalive: true });
  }

  get path() {
    return `/preview/leases/${this.name}`;
  }
}
