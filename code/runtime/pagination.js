'use strict';
// Pages of a list: from what a request asks to a range, and to what the response says of it.

const { errors } = require('quire/errors');

const has = (asked, name) => asked !== undefined && asked !== null && asked[name] !== undefined;
const isPaged = (asked) => has(asked, 'page') || has(asked, 'pageSize') || !(has(asked, 'start') || has(asked, 'limit'));

function whole(value, name, least) {
  const n = Number(value);
  if (!Number.isInteger(n) || n < least) throw new errors.ValidationError(`Invalid ${name} parameter. Expected a whole number of at least ${least}`);
  return n;
}

/** rangeOf is { start, limit } of what is asked, within the limits of the site. */
function rangeOf(asked, config) {
  const usual = Number(config.get('api.rest.defaultLimit', 25));
  const most = Number(config.get('api.rest.maxLimit')) || 0;
  const within = (n) => (most > 0 && (n === -1 || n > most) ? most : n);
  if (isPaged(asked)) {
    const size = within(has(asked, 'pageSize') ? whole(asked.pageSize, 'pageSize', 1) : usual);
    const page = has(asked, 'page') ? whole(asked.page, 'page', 1) : 1;
    return { start: (page - 1) * size, limit: size };
  }
  const limit = within(has(asked, 'limit') ? whole(asked.limit, 'limit', -1) : usual);
  return { start: has(asked, 'start') ? whole(asked.start, 'start', 0) : 0, limit };
}

function shouldCount(asked, config) {
  if (!has(asked, 'withCount')) return Boolean(config.get('api.rest.withCount', true));
  const given = String(asked.withCount);
  if (['true', 't', '1'].includes(given)) return true;
  if (['false', 'f', '0'].includes(given)) return false;
  throw new errors.ValidationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
}

/** describe is what a response says of its page. */
function describe({ start, limit }, total, asked) {
  if (!isPaged(asked)) return { start, limit, total };
  return { page: Math.floor(start / limit) + 1, pageSize: limit, pageCount: limit > 0 ? Math.ceil(total / limit) : 0, total };
}

module.exports = { rangeOf, shouldCount, describe };
