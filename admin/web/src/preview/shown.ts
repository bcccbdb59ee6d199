// What the server shows in the preview of a form: it is sent while it changes, one request
// after the other.

import { signal } from "@preact/signals";
import { ApiError, request } from "../core/api";
import type { Editing } from "../editor/editing";

const pause = 250; // ms after the last change
const renewal = 60_000; // ms before the link ends

interface Preview {
  id: string;
  url: string;
  expiresAt?: string;
}

export class Shown {
  /** The address of the page, with its token; null until there is one. */
  readonly url = signal<string | null>(null);
  /** Why the page does not show the last change; empty if it does. */
  readonly problem = signal("");
  /** Grows each time that the page can show something else. */
  readonly changes = signal(0);

  private id: string | null = null;
  private of = "";
  private timer: number | undefined;
  private renewing: number | undefined;
  private busy = false;
  private again = false;
  private closed = false;

  constructor(private readonly editing: Editing) {}

  /** Sends the form after a pause. */
  later(ms = pause) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.send(), ms);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.drop();
  }

  private async send() {
    if (this.busy) return void (this.again = true);
    this.busy = true;
    try {
      const { url } = await this.put();
      this.problem.value = "";
      this.url.value = url;
      this.changes.value++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem.value = error.message;
      if (error.offline) this.later(5000);
    } finally {
      this.busy = false;
      if (this.closed) this.drop();
      else if (this.again) this.later();
      this.again = false;
    }
  }

  private async put(): Promise<Preview> {
    const { editing } = this;
    const { type, documentId, locale } = editing.place;
    const data = editing.refusal("update") ? null : editing.body().data;
    const of = JSON.stringify([documentId, locale]);
    if (of !== this.of) this.drop();
    this.of = of;
    if (this.id) {
      try {
        return (await request<Preview>("PUT", `/previews/${this.id}`, { body: { data }, quiet: true })).data;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      }
    }
    const { data: made } = await request<Preview>("POST", "/previews", { body: { uid: type.uid, documentId: documentId ?? "", locale: locale ?? "", data }, quiet: true });
    this.id = made.id;
    clearTimeout(this.renewing);
    this.renewing = window.setTimeout(() => (this.drop(), this.later()), Date.parse(made.expiresAt ?? "") - Date.now() - renewal);
    return made;
  }

  private drop() {
    clearTimeout(this.renewing);
    if (this.id) request("DELETE", `/previews/${this.id}`, { quiet: true }).catch(() => undefined); // it ends by itself
    this.id = null;
  }
}
