'use strict';

module.exports = (config, { strapi }) => {
  return async (ctx, next) => {
    // unless the request says what it wants
    if (!ctx.query.populate) {
      ctx.query.populate = { picture: true, author: { populate: ['photo'] } };
    }
    await next();
  };
};
