import type { Core } from '@strapi/strapi';

const deepPopulate = {
  blocks: { on: { 'block.banner': { populate: '*' }, 'block.tours': true } },
};

export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx, next) => {
    ctx.query = { populate: deepPopulate, ...ctx.query };
    return next();
  };
};
