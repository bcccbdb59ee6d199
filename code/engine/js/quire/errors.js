// What V8 has of errors, and packages expect of Node.
"use strict";

class CallSite {
  constructor(line) {
    const [, name, file = "", row = 0, column = 0] = /at (?:(.*?) \()?(?:(.*?):(\d+):(\d+)|native)\)?$/.exec(line) ?? [];
    Object.assign(this, { name: name ?? null, file, row: Number(row), column: Number(column), line });
  }
  getFileName() {
    return this.file;
  }
  getLineNumber() {
    return this.row;
  }
  getColumnNumber() {
    return this.column;
  }
  getFunctionName() {
    return this.name;
  }
  isNative() {
    return this.file === "";
  }
  toString() {
    return this.line.trim().replace(/^at /, "");
  }
}
for (const name of ["getThis", "getTypeName", "getMethodName", "getEvalOrigin", "getFunction"]) CallSite.prototype[name] = () => null;
for (const name of ["isEval", "isConstructor", "isToplevel", "isAsync"]) CallSite.prototype[name] = () => false;

Error.stackTraceLimit = 10;
Object.defineProperty(Error, "captureStackTrace", {
  value: function captureStackTrace(target) {
    const lines = new Error().stack.trimEnd().split("\n").slice(1);
    const stack = typeof Error.prepareStackTrace === "function" ? Error.prepareStackTrace(target, lines.map((line) => new CallSite(line))) : lines.join("\n");
    Object.defineProperty(target, "stack", { value: stack, writable: true, configurable: true });
  },
  writable: true,
  configurable: true,
});
