import { cookies, draftMode } from "next/headers";
import { redirect } from "next/navigation";
import { previewCookie } from "@/lib/quire";

export async function POST() {
  (await draftMode()).disable();
  (await cookies()).delete(previewCookie);
  redirect("/");
}
