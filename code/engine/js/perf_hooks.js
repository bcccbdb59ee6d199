"use strict";
const { native } = require("quire:core");

const marks = new Map();
const performance = {
  timeOrigin: Date.now() - native("nanoseconds") / 1e6,
  now: () => native("nanoseconds") / 1e6,
  mark(name) {
    marks.set(name, performance.now());
    return { name, entryType: "mark", startTime: marks.get(name), duration: 0 };
  },
  measure(name, from, to) {
    const startTime = marks.get(from) ?? 0;
    return { name, entryType: "measure", startTime, duration: (marks.get(to) ?? performance.now()) - startTime };
  },
  clearMarks: (name) => (name === undefined ? marks.clear() : marks.delete(name)),
  clearMeasures() {},
  toJSON: () => ({ timeOrigin: performance.timeOrigin }),
};
module.exports = { performance };
