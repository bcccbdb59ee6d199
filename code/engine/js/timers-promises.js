const wait = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
async function* setInterval(ms, value) {
  for (;;) yield await wait(ms, value);
}
module.exports = { setTimeout: wait, setImmediate: (value) => wait(1, value), setInterval, scheduler: { wait, yield: () => wait(1) } };
