// Webhooks: the list of them, and the page of one. A page of the section of operation that
// is loaded when it is first shown.

import { match, place } from "../core/router";
import { Hook } from "./one";
import { Webhooks } from "./list";

export default function Page() {
  const one = match("/operation/webhooks/:id", place.value.path);
  return one?.id ? <Hook key={one.id} id={one.id} /> : <Webhooks />;
}
