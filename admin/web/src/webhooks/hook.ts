// Webhooks as the content API has them, and what can be asked of one.

import { content } from "../core/api";
import { schema } from "../core/schema";
import { toast } from "../ui/toasts";
import { t } from "./words";

export interface Webhook {
  id: string;
  name: string;
  url: string;
  /** Empty for all. */
  events: string[];
  /** Empty for all but users. */
  types: string[];
  /** Empty for all. */
  locales: string[];
  /** The names of those that are added; their values are not shown. */
  headers: string[];
  enabled: boolean;
  /** It is one of site.json, and changed there. */
  managed: boolean;
  waiting: number;
  setAside: number;
  /** Only of one that was just made. */
  secret?: string;
}

export const events = ["entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish", "media.create", "media.update", "media.delete"] as const;

/** How a receiver answered a test. */
export interface Trial {
  delivered: boolean;
  status?: number;
  error?: string;
  milliseconds: number;
}

/** Sends a test, and gives how it went in words. */
export async function test({ id }: Webhook): Promise<{ delivered: boolean; text: string }> {
  const { data } = await content<Trial>("POST", `/_webhooks/${id}/test`);
  if (data.delivered) return { delivered: true, text: t("test.answered", { status: String(data.status), n: data.milliseconds }) };
  return { delivered: false, text: t("test.failed", { said: data.error ?? "", n: data.milliseconds }) };
}

/** Sends again what a path below the webhook names. */
export async function resend({ id }: Webhook, path: string): Promise<void> {
  const { data } = await content<{ resent: number }>("POST", `/_webhooks/${id}/${path}`);
  toast({ kind: "done", text: t("deliveries.resent", { n: data.resent }) });
}

/** What may be sent: the types of the site, files, and users for those who may read them. */
export function offeredTypes(): { uid: string; name: string }[] {
  const site = schema.value;
  if (!site) return [];
  const types = [...site.types, ...(site.users ? [site.users] : [])].map(({ uid, displayName }) => ({ uid, name: displayName }));
  return [...types, { uid: "plugin::upload.file", name: t("form.files") }];
}
