// What an account does about its own safety; and the second step of signing in.

import { useTitle } from "../core/router";
import { session } from "../core/session";
import { Factor } from "./factor";
import { Passkeys } from "./passkeys";
import { Sessions } from "./sessions";
import { t } from "./words";

export { PasskeyButton } from "./passkey-button";
export { ProviderButton } from "./provider";
export { FactorDoor } from "./set-up";
export { SecondStep } from "./step";

export default function Security() {
  useTitle(t("title"));
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("title")}</h1>
      </header>
      <Factor />
      {session.value?.passwords && <Passkeys />}
      <Sessions />
    </div>
  );
}
