// Signing in with a passkey, from the page for signing in.

import { useState } from "preact/hooks";
import { ApiError } from "../core/api";
import { FormError } from "../screens/door";
import { Button } from "../ui/button";
import { describe } from "./step";
import { hasPasskeys, signInWithPasskey } from "./webauthn";
import { t } from "./words";

export function PasskeyButton() {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  if (!hasPasskeys()) return null;
  const enter = async () => {
    setBusy(true);
    setProblem("");
    try {
      if (await signInWithPasskey()) return;
    } catch (error) {
      setProblem(error instanceof ApiError && error.status === 400 ? t("passkeys.unknown") : (describe(error).form ?? ""));
    }
    setBusy(false);
  };
  return (
    <div class="form">
      <FormError text={problem} />
      <Button icon="person" busy={busy} onClick={() => void enter()}>
        {t("passkeys.sign-in")}
      </Button>
    </div>
  );
}
