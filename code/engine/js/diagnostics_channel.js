"use strict";
const channels = new Map();

class Channel {
  #subscribers = [];
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.length > 0;
  }
  subscribe(fn) {
    this.#subscribers = [...this.#subscribers, fn];
  }
  unsubscribe(fn) {
    const kept = this.#subscribers.filter((s) => s !== fn);
    const found = kept.length < this.#subscribers.length;
    this.#subscribers = kept;
    return found;
  }
  publish(message) {
    for (const fn of this.#subscribers) fn(message, this.name);
  }
  runStores(message, fn, self, ...args) {
    this.publish(message);
    return Reflect.apply(fn, self, args);
  }
}

function channel(name) {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}

const events = ["start", "end", "asyncStart", "asyncEnd", "error"];

// What happens around a call: each event has a channel.
class TracingChannel {
  constructor(name) {
    for (const event of events) this[event] = typeof name === "string" ? channel(`tracing:${name}:${event}`) : name[event];
  }
  get hasSubscribers() {
    return events.some((event) => this[event].hasSubscribers);
  }
  subscribe(of) {
    for (const event of events) if (of[event]) this[event].subscribe(of[event]);
  }
  unsubscribe(of) {
    return events.map((event) => !of[event] || this[event].unsubscribe(of[event])).every(Boolean);
  }
  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }
  traceSync(fn, context = {}, self, ...args) {
    return this.start.runStores(context, () => {
      try {
        return (context.result = Reflect.apply(fn, self, args));
      } catch (e) {
        this.#failed(context, e);
        throw e;
      } finally {
        this.end.publish(context);
      }
    });
  }
  tracePromise(fn, context = {}, self, ...args) {
    const ended = () => (this.asyncStart.publish(context), this.asyncEnd.publish(context));
    return this.start.runStores(context, () => {
      try {
        return Promise.resolve(Reflect.apply(fn, self, args)).then(
          (result) => ((context.result = result), ended(), result),
          (e) => {
            this.#failed(context, e);
            ended();
            throw e;
          },
        );
      } catch (e) {
        this.#failed(context, e);
        throw e;
      } finally {
        this.end.publish(context);
      }
    });
  }
}

module.exports = {
  Channel, channel,
  hasSubscribers: (name) => channel(name).hasSubscribers,
  subscribe: (name, fn) => channel(name).subscribe(fn),
  unsubscribe: (name, fn) => channel(name).unsubscribe(fn),
  tracingChannel: (name) => new TracingChannel(name),
};
