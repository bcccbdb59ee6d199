// A slow machine at the end of a bad line, for tests that are to pass on one: with STRESS, a
// number that random is made from, each page has a processor some times slower, its requests and
// their answers wait, and so does each step of a test.
const seed = Number(process.env.STRESS ?? 0);

let state = seed;
// below is a random whole number from 0 on, below n.
const below = (n) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % (n * 64) >> 6;

// pace is how many milliseconds each step of a test waits.
export const pace = seed && below(3) * 40;

// wait is how many milliseconds a request waits: mostly few, and sometimes many.
const wait = () => (below(8) === 0 ? 200 + below(800) : below(60));

// stress makes a page slow, as long as it is there.
export async function stress(page) {
  if (!seed) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 + below(3) });
  session.on('Fetch.requestPaused', ({ requestId, responseStatusCode, responseErrorReason }) => {
    const answered = responseStatusCode !== undefined || responseErrorReason !== undefined;
    const goOn = answered ? 'Fetch.continueResponse' : 'Fetch.continueRequest';
    setTimeout(() => session.send(goOn, { requestId }).catch(() => undefined), wait()); // the page may be gone
  });
  await session.send('Fetch.enable', { patterns: [{ requestStage: 'Request' }, { requestStage: 'Response' }] });
}
