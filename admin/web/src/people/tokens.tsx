// API tokens: what lets programs call the content API. A token is shown once.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { toast, toastError } from "../ui/toasts";
import { ShownOnce } from "./shown-once";
import { TokenForm, type MadeToken, type TokenType } from "./token-form";
import { t } from "./words";

interface Token {
  name: string;
  type: TokenType;
  permissions?: string[];
  createdAt: string;
  expiresAt?: string;
  lastUsedAt?: string;
}

export function Tokens() {
  const [tokens, setTokens] = useState<Token[] | null>(null);
  const [making, make] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const load = async () => setTokens((await request<Token[]>("GET", "/tokens")).data);
  useEffect(() => void load().catch(toastError), []);

  const revoke = async ({ name }: Token) => {
    if (!(await confirm({ title: t("tokens.revoke-title", { name }), body: t("tokens.revoke-text"), action: t("tokens.revoke"), danger: true }))) return;
    await request("POST", "/tokens/revoke", { body: { name } });
    toast({ kind: "done", text: t("tokens.revoked", { name }) });
    await load();
  };
  const add = (
    <Button variant="primary" icon="plus" onClick={() => make(true)}>
      {t("tokens.add")}
    </Button>
  );
  return (
    <SectionPart title={t("tokens.title")} text={t("tokens.text")} actions={tokens?.length ? add : undefined}>
      {tokens?.length === 0 && (
        <Empty icon="lock" title={t("tokens.none")} action={add}>
          {t("tokens.none-text")}
        </Empty>
      )}
      {tokens && tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={(token) => void revoke(token).catch(toastError)} />}
      {making && (
        <TokenForm
          onClose={() => make(false)}
          onMade={async (token) => {
            make(false);
            setMade(token);
            await load();
          }}
        />
      )}
      {made && <ShownOnce title={t("tokens.made", { name: made.name })} text={t("tokens.made-text")} label={t("tokens.token")} value={made.token} onClose={() => setMade(null)} />}
    </SectionPart>
  );
}

function TokenTable({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  return (
    <SectionTable columns={[t("accounts.name"), t("tokens.type"), t("tokens.expires"), t("tokens.used")]}>
      {tokens.map((token) => (
        <tr key={token.name}>
          <th scope="row">
            <strong>{token.name}</strong>
          </th>
          <td data-label={t("tokens.type")}>
            {t(`tokens.type.${token.type}`)}
            {token.permissions && <span class="quiet-text"> · {t("tokens.actions", { n: token.permissions.length })}</span>}
          </td>
          <td data-label={t("tokens.expires")}>
            <Expiry of={token} />
          </td>
          <td data-label={t("tokens.used")} class="quiet-text">
            {token.lastUsedAt ? formatAgo(token.lastUsedAt) : t("accounts.never")}
          </td>
          <td class="actions">
            <Button small variant="quiet" aria-label={t("tokens.revoke-one", { name: token.name })} onClick={() => onRevoke(token)}>
              {t("tokens.revoke")}
            </Button>
          </td>
        </tr>
      ))}
    </SectionTable>
  );
}

function Expiry({ of }: { of: Token }) {
  if (!of.expiresAt) return <span class="quiet-text">{t("accounts.never")}</span>;
  const past = Date.parse(of.expiresAt) < Date.now();
  return <time dateTime={of.expiresAt}>{past ? t("tokens.expired", { when: formatDateTime(of.expiresAt) }) : formatDateTime(of.expiresAt)}</time>;
}
