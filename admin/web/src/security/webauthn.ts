// Passkeys of the browser: making one, and signing in with one.

import { request } from "../core/api";
import { signInStep } from "../core/session";

/** Whether the browser has passkeys here: it needs TLS, or this machine, and a name rather than an address. */
export function hasPasskeys(): boolean {
  return isSecureContext && "PublicKeyCredential" in window && !/^[\d.]+$|:/.test(location.hostname);
}

/** What the server asks of an authenticator. Bytes are in base 64. */
interface Asked {
  challenge: string;
  host: string;
}

interface Begun extends Asked {
  ticket: string;
  user: string;
  known: string[];
}

/** Signs in with a passkey that the user chooses; false if none was chosen. */
export async function signInWithPasskey(): Promise<boolean> {
  const { data } = await request<Asked>("POST", "/session/passkey/begin", { quiet: true });
  const options = { challenge: bytes(data.challenge), rpId: data.host, userVerification: "required" as const };
  const chosen = await ask(() => navigator.credentials.get({ publicKey: options }));
  if (!chosen) return false;
  const answer = chosen.response as AuthenticatorAssertionResponse;
  await signInStep("/session/passkey", {
    id: base64(chosen.rawId),
    userHandle: base64(answer.userHandle ?? new ArrayBuffer()),
    clientData: base64(answer.clientDataJSON),
    authenticatorData: base64(answer.authenticatorData),
    signature: base64(answer.signature),
  });
  return true;
}

/** Has the browser make a passkey, and adds it to the account; false if the user thought better of it. */
export async function addPasskey(name: string, account: { email: string; name: string }, proof: unknown): Promise<boolean> {
  const { data } = await request<Begun>("POST", "/session/passkeys/begin", { body: proof });
  const kinds = [-7, -8, -257]; // ES256, EdDSA, RS256
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytes(data.challenge),
    rp: { id: data.host, name: data.host },
    user: { id: bytes(data.user), name: account.email, displayName: account.name },
    pubKeyCredParams: kinds.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: data.known.map((id) => ({ type: "public-key", id: bytes(id) })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  };
  const made = await ask(() => navigator.credentials.create({ publicKey }));
  if (!made) return false;
  const answer = made.response as AuthenticatorAttestationResponse;
  await request("POST", "/session/passkeys", {
    body: {
      ticket: data.ticket,
      name,
      id: base64(made.rawId),
      clientData: base64(answer.clientDataJSON),
      authenticatorData: base64(answer.getAuthenticatorData()),
      publicKey: base64(answer.getPublicKey() ?? new ArrayBuffer()),
    },
  });
  return true;
}

/** What the browser answers; null if the user has not chosen, or not in time. */
async function ask(how: () => Promise<Credential | null>): Promise<PublicKeyCredential | null> {
  try {
    return (await how()) as PublicKeyCredential | null;
  } catch (error) {
    if (error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError")) return null;
    throw error;
  }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function base64(buffer: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)));
}
