// What somebody with a role of the site may see: the answer to a request, as they get it.

import { useState } from "preact/hooks";
import { ApiError, request } from "../core/api";
import { schema } from "../core/schema";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { t } from "./words";

interface Shown {
  status: string;
  text: string;
}

export function RoleAnswer({ role }: { role: string }) {
  const [path, setPath] = useState(`/api/${schema.value?.types[0]?.route ?? ""}`);
  const [shown, show] = useState<Shown | null>(null);
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    show(await answerTo(role, path));
    setBusy(false);
  };
  return (
    <SectionPart title={t("answer.title")} text={t("answer.text")}>
      <div class="role-answer">
        <Field label={t("answer.path")}>
          {(wired) => (
            <TextInput
              {...wired}
              mono
              spellcheck={false}
              value={path}
              onInput={setPath}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault(); // the form around it is about something else
                void ask();
              }}
            />
          )}
        </Field>
        <Button busy={busy} onClick={() => void ask()}>
          {t("answer.show")}
        </Button>
      </div>
      <div role="status">
        {shown && (
          <>
            <p class="quiet-text">{shown.status}</p>
            <pre class="role-json" tabIndex={0}>
              {shown.text}
            </pre>
          </>
        )}
      </div>
    </SectionPart>
  );
}

/** The answer to a GET of the content API; errors are answers, too. */
async function answerTo(role: string, path: string): Promise<Shown> {
  const rest = path.trim().replace(/^\/?(api\/)?/, "/");
  try {
    const { data, meta } = await request<unknown>("GET", `/as/${encodeURIComponent(role)}${rest}`);
    const whole = Object.keys(meta).length > 0 ? { data, meta } : data;
    return { status: t("answer.ok"), text: JSON.stringify(whole, null, 2) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: t("answer.refused", { status: error.status }), text: error.body === null ? error.message : JSON.stringify(error.body, null, 2) };
  }
}
