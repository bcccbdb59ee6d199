import { factories } from '@strapi/strapi';

export default factories.createCoreController('api::pier.pier', ({ strapi }) => ({
  reserve: (ctx) => ctx.accepted(ctx.request.body),

  async find(ctx) {
    return { data: await strapi.service('api::pier.pier').free() };
  },
}));
