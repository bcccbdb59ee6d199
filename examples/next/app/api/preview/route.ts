import { cookies, draftMode } from "next/headers";
import { previewCookie, quire } from "@/lib/quire";

/** Where preview links lead: checks the token, remembers it and shows the page. */
export async function GET(request: Request) {
  const asked = new URL(request.url).searchParams;
  const token = asked.get("previewToken") ?? "";
  const page = new URL(asked.get("path") ?? "/", "http://here");
  const check = new URLSearchParams({ previewToken: token, locale: "*", fields: "id" });
  const valid = token && (await fetch(`${quire}/api/restaurants?${check}`, { cache: "no-store" })).ok;
  if (!valid || page.host !== "here" || page.pathname.startsWith("//")) {
    return new Response("This preview link is not valid, or not any more", { status: 401 });
  }
  (await draftMode()).enable();
  const secure = process.env.NODE_ENV === "production";
  (await cookies()).set(previewCookie, token, { httpOnly: true, secure, sameSite: "lax" });
  return new Response(null, { status: 307, headers: { Location: page.pathname + page.search, "Referrer-Policy": "no-referrer" } });
}
