// A hook and a route of one's own, without dependencies: node server.mjs
//
// SECRET is what `quire hook secret` prints, QUIRE where Quire listens, LISTEN where this
// program listens.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SECRET, QUIRE = "http://127.0.0.1:1337", LISTEN = "127.0.0.1:4000" } = process.env;
if (!SECRET?.startsWith("whsec_")) throw new Error("SECRET must be what `quire hook secret` prints");
const key = Buffer.from(SECRET.replace("whsec_", ""), "base64");
const seats = 8;

/** Whether Quire has sent a body, within the last five minutes. */
function isSigned(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - at) < 300)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  return signatures.split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/**
 * Before a reservation is created or updated: refuses large ones, and writes names alike.
 * Actions, such as duplicating one, have no data.
 */
function reservation(data) {
  if (data === null) return [200, {}];
  if (data.guests > seats) return [400, { error: { message: `A table has ${seats} seats`, details: { seats } } }];
  if (typeof data.name === "string") data.name = data.name.trim().toUpperCase();
  return [200, { data }];
}

/** GET /api/reserve/free: how many seats are free, for callers who may read reservations. */
async function free(request) {
  const headers = request.headers.authorization ? { authorization: request.headers.authorization } : {};
  const answer = await fetch(`${QUIRE}/api/reservations?pagination[pageSize]=100`, { headers });
  const body = await answer.json();
  if (!answer.ok) return [answer.status, body];
  return [200, { data: { free: body.data.reduce((left, one) => left - one.guests, seats) } }];
}

async function answer(request, body) {
  if (request.method === "GET" && request.url === "/api/reserve/free") return free(request);
  if (request.method !== "POST" || request.url !== "/hooks") return [404, { error: "Not Found" }];
  if (!isSigned(request.headers, body)) return [401, { error: "wrong signature" }];
  return reservation(JSON.parse(body).data);
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const [status, body] = await answer(request, Buffer.concat(parts)).catch((error) => [500, { error: String(error) }]);
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(LISTEN.split(":")[1]), LISTEN.split(":")[0], () => console.log("listening"));
