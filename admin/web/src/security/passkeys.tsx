// The passkeys of the account: adding, renaming and removing them.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime, t as common } from "../core/i18n";
import { account } from "../core/session";
import { FormDialog } from "../screens/form-dialog";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm, Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { toast, toastError } from "../ui/toasts";
import { ProofForm, type Proof } from "./proof";
import { deviceOf } from "./sessions";
import { addPasskey, hasPasskeys } from "./webauthn";
import { t } from "./words";

interface Passkey {
  id: string;
  name: string;
  host: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export function Passkeys() {
  const [passkeys, setPasskeys] = useState<Passkey[]>([]);
  const [shown, show] = useState<"add" | Passkey | null>(null);
  const load = async () => setPasskeys((await request<Passkey[]>("GET", "/session/passkeys")).data);
  useEffect(() => void load().catch(toastError), []);
  const done = (text: string) => {
    show(null);
    toast({ kind: "done", text });
    load().catch(toastError);
  };
  const remove = async ({ id, name }: Passkey) => {
    const sure = await confirm({ title: t("passkeys.remove-title", { name }), body: t("passkeys.remove-text"), action: common("delete"), danger: true });
    if (!sure) return;
    await request("DELETE", `/session/passkeys/${id}`);
    done(t("passkeys.removed"));
  };
  const actions = hasPasskeys() && (
    <Button icon="plus" onClick={() => show("add")}>
      {t("passkeys.add")}
    </Button>
  );
  return (
    <SectionPart title={t("passkeys.title")} text={hasPasskeys() ? t("passkeys.text") : t("passkeys.not-here")} actions={actions}>
      {passkeys.length > 0 && (
        <SectionTable columns={[t("passkeys.name"), t("passkeys.host"), t("sessions.used")]}>
          {passkeys.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <strong>{one.name}</strong>
              </th>
              <td data-label={t("passkeys.host")}>{one.host}</td>
              <td data-label={t("sessions.used")} class="quiet-text">
                {one.lastUsedAt ? <span data-tip={formatDateTime(one.lastUsedAt)}>{formatAgo(one.lastUsedAt)}</span> : t("passkeys.never")}
              </td>
              <td class="actions">
                <Menu
                  label={t("passkeys.actions", { name: one.name })}
                  icon="more"
                  iconOnly
                  align="end"
                  items={[
                    { label: t("passkeys.rename"), icon: "edit", onSelect: () => show(one) },
                    { label: common("delete"), icon: "trash", danger: true, onSelect: () => void remove(one).catch(toastError) },
                  ]}
                />
              </td>
            </tr>
          ))}
        </SectionTable>
      )}
      {shown === "add" && (
        <Dialog open size="small" title={t("passkeys.add")} onClose={() => show(null)}>
          <Add done={() => done(t("passkeys.added"))} />
        </Dialog>
      )}
      {shown && shown !== "add" && <Rename of={shown} done={() => done(t("passkeys.renamed"))} onClose={() => show(null)} />}
    </SectionPart>
  );
}

function Add({ done }: { done: () => void }) {
  const [withCode, setWithCode] = useState<boolean | null>(null);
  useEffect(() => {
    request<{ on: boolean }>("GET", "/session/second-factor").then(({ data }) => setWithCode(data.on), toastError);
  }, []);
  if (withCode === null) return null;
  const add = async (proof: Proof) => {
    const who = account.value;
    if (who && (await addPasskey(deviceOf(navigator.userAgent), who, proof))) done();
    else throw new Error(t("passkeys.not-made"));
  };
  return (
    <ProofForm action={t("passkeys.next")} withCode={withCode} done={add}>
      <p class="quiet-text">{t("passkeys.add-text")}</p>
    </ProofForm>
  );
}

function Rename({ of, done, onClose }: { of: Passkey; done: () => void; onClose: () => void }) {
  const [name, setName] = useState(of.name);
  const check = () => (name.trim() ? {} : { name: t("passkeys.name-missing") });
  const send = async () => {
    await request("PUT", `/session/passkeys/${of.id}`, { body: { name } });
    done();
  };
  return (
    <FormDialog title={t("passkeys.rename")} action={common("save")} fields={["name"]} check={check} send={send} onClose={onClose}>
      {(errors) => (
        <Field label={t("passkeys.name")} errors={errors.name}>
          {(wired) => <TextInput {...wired} value={name} onInput={setName} autofocus />}
        </Field>
      )}
    </FormDialog>
  );
}
