import { revalidateTag } from "next/cache";
import { Webhook } from "standardwebhooks";

/** Where Quire sends each change: the pages with what has changed are made again. */
export async function POST(request: Request) {
  let change;
  try {
    // verify compares signatures in constant time, and refuses deliveries that are older than five minutes.
    const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "");
    change = webhook.verify(await request.text(), Object.fromEntries(request.headers)) as { uid?: string };
  } catch {
    return new Response(null, { status: 401 });
  }
  revalidateTag(change.uid ?? "media", { expire: 0 });
  return new Response(null, { status: 204 });
}
