// What a role may do with each type: a table of types and actions.

import { useState } from "preact/hooks";
import { schema, type Action, type ContentType } from "../core/schema";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/inputs";
import { Menu } from "../ui/menu";
import { actions, everyType, isBroken, isNamed, rightsOn, whichOf, withAction, withType, type Rights, type TypeRights } from "./rights";
import { RoleLimits } from "./role-limits";
import { t } from "./words";

interface RoleMatrixProps {
  rights: Rights;
  fixed: boolean;
  onChange: (rights: Rights) => void;
}

export function RoleMatrix({ rights, fixed, onChange }: RoleMatrixProps) {
  const [limited, limit] = useState<Limited | null>(null);
  const types = [...(schema.value?.types ?? []), ...(schema.value?.users ? [schema.value.users] : [])];
  const rows: Limited[] = [{ uid: everyType, name: t("role.others"), type: null }, ...types.map((type) => ({ uid: type.uid, name: type.displayName, type }))];
  return (
    <>
      <div class="role-scroll" role="region" tabIndex={0} aria-label={t("role.content-text")}>
        <table class="role-matrix">
          <thead>
            <tr>
              <th scope="col">{t("role.type")}</th>
              {actions.map((action) => (
                <th key={action} scope="col">
                  {t(`role.action.${action}`)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.uid} {...row} rights={rights} fixed={fixed} onChange={onChange} onLimit={() => limit(row)} />
            ))}
          </tbody>
        </table>
      </div>
      {limited && (
        <RoleLimits
          name={limited.name}
          type={limited.type}
          rights={rightsOn(rights, limited.uid)}
          fixed={fixed}
          onClose={() => limit(null)}
          onChange={(changed) => onChange(withType(rights, limited.uid, changed))}
        />
      )}
    </>
  );
}

/** A row of the table: a type, or all that the role does not name. */
interface Limited {
  uid: string;
  name: string;
  type: ContentType | null;
}

interface RowProps extends RoleMatrixProps, Limited {
  onLimit: () => void;
}

function Row({ rights, uid, name, type, fixed, onChange, onLimit }: RowProps) {
  const follows = type !== null && !isNamed(rights, uid);
  const on = rightsOn(rights, uid);
  const allowed = on.actions;
  const which = whichOf(on);
  return (
    <tr class={follows ? "follows" : undefined}>
      <th scope="row">
        {name}
        {follows && <span class="quiet-text"> · {t("role.follows")}</span>}
        {which !== "all" && !follows && <span class="quiet-text"> · {which === "own" ? t("role.own-short") : shortOf(on)}</span>}
        {type !== null && on.where?.some((one) => isBroken(type, one)) && <span class="field-error"> · {t("role.where-broken-short")}</span>}
      </th>
      {actions.map((action) => (
        <td key={action}>
          {has(type, action) ? (
            <Checkbox
              aria-label={t("role.allow", { action: t(`role.action.${action}`), type: name })}
              checked={allowed.includes(action)}
              disabled={fixed}
              onInput={(checked) => onChange(withAction(rights, uid, action, checked))}
            />
          ) : (
            <span class="quiet-text" data-tip={t("role.no-drafts")}>
              –
            </span>
          )}
        </td>
      ))}
      <td class="actions">
        {fixed ? (
          <Button small variant="quiet" aria-label={t("role.limits", { type: name })} onClick={onLimit}>
            {t("role.limits-button")}
          </Button>
        ) : (
          <Menu
            label={t("role.limits", { type: name })}
            icon="more"
            iconOnly
            align="end"
            button={{ small: true }}
            items={[
              { label: t("role.limits-button"), icon: "filter", onSelect: onLimit },
              { label: t("role.follow"), icon: "undo", disabled: follows || type === null, onSelect: () => onChange(withType(rights, uid, null)) },
            ]}
          />
        )}
      </td>
    </tr>
  );
}

/** The conditions of a right in one line. */
function shortOf({ where = [] }: TypeRights): string {
  return where.map((one) => (one.account === undefined ? t("role.where-short", { attribute: one.attribute, value: one.is ?? "" }) : t("role.where-short-account", { attribute: one.attribute, name: one.account }))).join(", ");
}

/** Whether documents of the type know the action. */
function has(type: ContentType | null, action: Action): boolean {
  return type === null || type.draftAndPublish || (action !== "publish" && action !== "unpublish");
}
