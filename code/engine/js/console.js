module.exports = globalThis.console;
