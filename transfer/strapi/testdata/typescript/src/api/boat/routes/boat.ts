import { factories } from '@strapi/strapi';

export default factories.createCoreRouter('api::boat.boat', {
  config: { find: { middlewares: ['api::boat.berths'] } },
});
