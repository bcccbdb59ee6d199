import { factories } from '@strapi/strapi';

const middlewares = ['api::tour.with-blocks'];

export default factories.createCoreRouter('api::tour.tour', {
  config: { find: { middlewares }, findOne: { middlewares } },
});
