import type { ReadonlySignal } from "@preact/signals";
import type { t as translate } from "../core/i18n";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import type { Problem } from "./scan";

/** What is known of the text. */
export type Finding =
  | { state: "empty" }
  | { state: "valid"; isFormatted: boolean }
  | { state: "wrong"; message: Problem["message"]; at: number; line: number; column: number }
  | { state: "long"; at: number; line: number; column: number };

interface FootProps {
  finding: ReadonlySignal<Finding>;
  t: typeof translate;
  format: () => void;
  goTo: (at: number) => void;
}

export function JsonFoot({ finding, t, format, goTo }: FootProps) {
  const found = finding.value;
  return (
    <div class="text-foot json-foot" data-state={found.state}>
      {(found.state === "wrong" || found.state === "long") && (
        <button type="button" class="json-problem" onClick={() => goTo(found.at)}>
          <Icon name={found.state === "wrong" ? "error" : "warning"} size={14} />
          <span>
            {t("json.place", { line: found.line, column: found.column })}{" "}
            {t(found.state === "wrong" ? found.message : "json.long")}
          </span>
        </button>
      )}
      {found.state === "valid" && <span>{t("json.valid")}</span>}
      <span class="toolbar-space" />
      {found.state === "valid" && !found.isFormatted && (
        <Button small variant="quiet" onClick={format}>
          {t("json.format")}
        </Button>
      )}
    </div>
  );
}
