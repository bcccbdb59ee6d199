import { factories } from '@strapi/strapi';

export default factories.createCoreService('api::pier.pier', ({ strapi }) => ({
  free: () => strapi.documents('api::pier.pier').findMany({ filters: { boat: null } }),
}));
