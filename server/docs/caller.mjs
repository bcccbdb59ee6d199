// In whose name the page asks, and what it asks. The token is in this variable and nowhere
// else: it is gone with the page. Below the admin it asks in the name of who has signed in
// there, whose cookie only that path has.

let token = '';

const below = '/admin/api/v1/content';

export const base = new URL('..', import.meta.url).href.replace(/\/$/, ''); // …/api, or below the admin
export const inAdmin = base.endsWith(below);
export const shownBase = inAdmin ? `${base.slice(0, -below.length)}/api` : base; // for programs
export const hasToken = () => token !== '';
export const setToken = (given) => (token = given);

// ask sends a request to this site, with the token and no cookie unless in the admin, and
// follows no redirect that could lead elsewhere.
export async function ask(address, { headers = {}, ...options } = {}) {
  const begun = performance.now();
  const answer = await fetch(address, {
    ...options, headers: { Accept: 'application/json', ...(token && { Authorization: `Bearer ${token}` }), ...headers },
    mode: 'same-origin', credentials: inAdmin ? 'same-origin' : 'omit', redirect: 'error', cache: 'no-store', referrerPolicy: 'no-referrer',
  });
  const text = await answer.text();
  const took = Math.round(performance.now() - begun);
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {
    // not JSON: shown as it is
  }
  return { status: answer.status, reason: answer.statusText, ok: answer.ok, took, size: new TextEncoder().encode(text).length, body, plan: answer.headers.get('X-Quire-Plan') };
}

// Refusal is an answer that is not what was asked for.
export class Refusal extends Error {
  constructor({ status, body }) {
    super(body?.error?.message ?? `status ${status}`);
    this.status = status;
  }
}

async function wanted(address, options) {
  const answer = await ask(address, options);
  if (!answer.ok) throw new Refusal(answer);
  return answer.body;
}

// load gets what there is for the reader, and the description; null for an account of the
// admin that may not read all of that. The account is called by its own name.
export async function load() {
  const unread = (error) => {
    if (!inAdmin || error.status !== 403) throw error;
    return null;
  };
  const asked = [wanted(`${base}/docs/types`), wanted(`${base}/openapi.json`).catch(unread), inAdmin && wanted(new URL('session', `${base}/..`))];
  const [site, description, session] = await Promise.all(asked);
  return { site: session ? { ...site, caller: session.data.account.name, isPerson: true } : site, description };
}

// signIn asks in the name of a user of the site from now on.
export async function signIn(identifier, password) {
  token = '';
  const headers = { 'Content-Type': 'application/json' };
  const { jwt } = await wanted(`${base}/auth/local`, { method: 'POST', headers, body: JSON.stringify({ identifier, password }) });
  token = jwt;
}
