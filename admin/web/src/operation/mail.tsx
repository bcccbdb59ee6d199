// The mail that users of the site get, as it looks, and a sample of it.

import { useEffect, useState } from "preact/hooks";
import { apiBase, request } from "../core/api";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Tabs } from "../ui/tabs";
import { toast, toastError } from "../ui/toasts";
import { t } from "./words";

interface Template {
  name: "reset" | "confirmation";
  subject: string;
  text: string;
  /** It has another form, of HTML. */
  html: boolean;
}

interface Mails {
  ready: boolean;
  from: string;
  to: string;
  templates: Template[];
}

export function Mail() {
  const [mail, setMail] = useState<Mails | null>(null);
  useEffect(() => {
    request<Mails>("GET", "/mail").then(({ data }) => setMail(data), toastError);
  }, []);
  if (!mail) return null;
  const text = mail.ready ? t("mail.ready", { from: mail.from }) : t("mail.not-ready");
  return (
    <>
      <SectionPart title={t("mail.title")} text={`${text} ${t("mail.text")}`} />
      {mail.templates.map((template) => (
        <Preview key={template.name} of={template} to={mail.to} ready={mail.ready} />
      ))}
    </>
  );
}

function Preview({ of: template, to, ready }: { of: Template; to: string; ready: boolean }) {
  const [busy, setBusy] = useState(false);
  const name = t(`mail.${template.name}`);
  const send = async () => {
    setBusy(true);
    try {
      await request("POST", "/mail/test", { body: { template: template.name } });
      toast({ kind: "done", text: t("mail.sent", { to }) });
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const button = (
    <Button busy={busy} aria-label={t("mail.send-one", { name })} onClick={() => void send()}>
      {t("mail.send")}
    </Button>
  );
  return (
    <SectionPart title={name} text={template.subject} actions={ready ? button : undefined}>
      {template.html ? <Forms of={template} name={name} /> : <pre class="mail-text">{template.text}</pre>}
    </SectionPart>
  );
}

/** Both forms of a mail. The frame can load, run and send nothing: the answer's policy says so, too. */
function Forms({ of: template, name }: { of: Template; name: string }) {
  const [form, choose] = useState<"html" | "text">("html");
  const tabs = [
    { key: "html", label: "HTML" },
    { key: "text", label: t("mail.as-text") },
  ] as const;
  return (
    <Tabs label={t("mail.forms", { name })} tabs={tabs} chosen={form} onChoose={choose}>
      {form === "html" ? <iframe class="mail-html" sandbox="" title={t("mail.as-html", { name })} src={`${apiBase}/mail/${template.name}`} /> : <pre class="mail-text">{template.text}</pre>}
    </Tabs>
  );
}
