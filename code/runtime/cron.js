'use strict';
// strapi.cron and config/cron-tasks: functions that run at set times.

/** createCron keeps the tasks; the program asks which there are and says when one is due. */
function createCron(strapi) {
  const tasks = new Map();
  let nameless = 0;

  const cron = {
    /** add takes { name: { task, options } } or { '0 * * * *': task }. */
    add(given) {
      for (const [key, value] of Object.entries(given)) {
        const { task, options } = typeof value === 'function' ? { task: value, options: key } : value;
        if (typeof task !== 'function') throw new Error(`The task ${key} has no function`);
        const when = options instanceof Date || typeof options === 'string' ? { rule: options } : { ...options };
        const name = typeof value === 'function' ? `${key} ${++nameless}` : key;
        tasks.set(name, { task, rule: ruleOf(name, when), zone: when.tz || '', start: moment(when.start), end: moment(when.end) });
      }
      return cron;
    },
    remove(name) {
      for (const key of tasks.keys()) if (typeof name === 'function' ? name({ name: key }) : key === name) tasks.delete(key);
      return cron;
    },
    get jobs() { return [...tasks.keys()].map((name) => ({ name })); },
    start: () => cron, stop: () => cron, destroy: () => (tasks.clear(), cron),

    /** list is what the program must know of the tasks. */
    list: () => [...tasks].map(([name, { rule, zone, start, end }]) => ({ name, rule, zone, start, end })),
    async run(name) {
      const task = tasks.get(name);
      if (task) await task.task({ strapi }, new Date());
    },
  };
  return cron;
}

const moment = (value) => (value === undefined || value === null ? '' : new Date(value).toISOString());

function ruleOf(name, { rule }) {
  if (rule instanceof Date) return rule.toISOString();
  if (typeof rule !== 'string') throw new Error(`The task ${name} needs a rule such as '0 1 * * *', or a date`);
  return rule;
}

module.exports = { createCron };
