const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
module.exports = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
