// The documents of a type.

import type { ContentType } from "../../core/schema";
import { useTitle } from "../../core/router";

export function ListScreen({ type }: { type: ContentType }) {
  useTitle(type.displayName);
  return (
    <div class="page">
      <h1>{type.displayName}</h1>
    </div>
  );
}
