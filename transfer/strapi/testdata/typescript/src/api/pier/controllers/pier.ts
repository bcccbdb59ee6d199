import { factories } from '@strapi/strapi';

export default factories.createCoreController('api::pier.pier', ({ strapi }) => ({
  async find(ctx) {
    return { data: await strapi.service('api::pier.pier').free() };
  },
}));
