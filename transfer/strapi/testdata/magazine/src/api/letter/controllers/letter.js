'use strict';

const { createCoreController } = require('@strapi/strapi').factories;

module.exports = createCoreController('api::letter.letter', ({ strapi }) => ({
  async find(ctx) {
    ctx.query.filters = { writer: ctx.state.user.id };
    return super.find(ctx);
  },
}));
