// The editor of a document. It is loaded when it is first needed.

import { useTitle } from "../core/router";

export interface EditorProps {
  uid: string;
  /** null for a single type; "new" for what is not created yet. */
  documentId: string | null;
  view: "edit" | "history";
}

export default function EditorPage({ uid }: EditorProps) {
  useTitle(uid);
  return <div class="page">{uid}</div>;
}
