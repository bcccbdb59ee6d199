// The page of a role: its name, what it may do with each type, with files and the site.

import { useState } from "preact/hooks";
import { request } from "../core/api";
import { Link } from "../core/router";
import { SectionPart } from "../screens/section";
import { Checkbox } from "../ui/inputs";
import { toast } from "../ui/toasts";
import { rolePath, withWord, type Rights, type RoleLine } from "./rights";
import { RoleFrame } from "./role-frame";
import { RoleMatrix } from "./role-matrix";
import { t } from "./words";

interface RoleFormProps {
  /** The role that is changed; one without an id is a new one. */
  role: RoleLine;
  /** Shows the list again. */
  done: () => Promise<void>;
}

const files = ["read", "upload", "delete"] as const;
const site = ["accounts", "access", "schemas", "settings", "arrange"] as const;

export function RoleForm({ role, done }: RoleFormProps) {
  const [name, setName] = useState(role.name);
  const [rights, setRights] = useState<Rights>(role.rights);
  const [secondFactor, setSecondFactor] = useState(role.secondFactor);
  const save = async () => {
    const body = { name, rights, secondFactor };
    if (role.id === "") await request("POST", "/roles", { body });
    else await request("PUT", `/roles/${role.id}`, { body });
    toast({ kind: "done", text: t("role.saved", { name }) });
    await done();
  };
  const remove = async () => {
    await request("DELETE", `/roles/${role.id}`);
    await done();
  };
  return (
    <RoleFrame
      name={name}
      onName={setName}
      was={role.name}
      fixed={role.builtIn && <BuiltIn role={role} />}
      list="/people/roles"
      back={t("roles.to-list")}
      save={save}
      remove={role.id === "" ? null : remove}
    >
      <fieldset class="role-words" disabled={role.builtIn}>
        <legend>{t("role.signing-in")}</legend>
        <Checkbox checked={secondFactor} onInput={setSecondFactor}>
          {t("role.second-factor")}
        </Checkbox>
      </fieldset>
      {!rights.full && <RoleRights rights={rights} fixed={role.builtIn} onChange={setRights} />}
    </RoleFrame>
  );
}

function BuiltIn({ role }: { role: RoleLine }) {
  return (
    <>
      {role.rights.full ? t("role.full") : t("role.built-in")} {!role.rights.full && <Link to={`${rolePath("new")}?from=${role.id}`}>{t("roles.duplicate-button")}</Link>}
    </>
  );
}

interface RoleRightsProps {
  rights: Rights;
  /** They are shown and not changed. */
  fixed: boolean;
  onChange: (rights: Rights) => void;
}

function RoleRights({ rights, fixed, onChange }: RoleRightsProps) {
  return (
    <>
      <SectionPart title={t("role.content")} text={t("role.content-text")}>
        <RoleMatrix rights={rights} fixed={fixed} onChange={onChange} />
      </SectionPart>
      <fieldset class="role-words" disabled={fixed}>
        <legend>{t("role.files")}</legend>
        {files.map((word) => (
          <Checkbox key={word} checked={rights.files?.includes(word) ?? false} onInput={(there) => onChange({ ...rights, files: withWord(rights.files, files, word, there) })}>
            {t(`role.file.${word}`)}
          </Checkbox>
        ))}
      </fieldset>
      <fieldset class="role-words" disabled={fixed}>
        <legend>{t("role.site")}</legend>
        <Checkbox checked={rights.releases ?? false} onInput={(releases) => onChange({ ...rights, releases })}>
          {t("role.releases")}
        </Checkbox>
        {site.map((word) => (
          <Checkbox key={word} checked={rights.site?.includes(word) ?? false} onInput={(there) => onChange({ ...rights, site: withWord(rights.site, site, word, there) })}>
            {t(`role.site.${word}`)}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}
