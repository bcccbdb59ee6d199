"use strict";
const { AsyncLocalStorage, bind } = require("quire:core");

class AsyncResource {
  constructor(type) {
    this.type = type;
    this.run = bind((fn, self, args) => Reflect.apply(fn, self, args));
  }
  runInAsyncScope(fn, self, ...args) {
    return this.run(fn, self, args);
  }
  bind(fn) {
    return (...args) => this.runInAsyncScope(fn, undefined, ...args);
  }
  emitDestroy() {
    return this;
  }
  static bind(fn) {
    return bind(fn);
  }
}

module.exports = { AsyncLocalStorage, AsyncResource };
