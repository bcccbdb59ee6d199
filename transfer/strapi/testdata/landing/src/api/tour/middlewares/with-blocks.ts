/**
 * Sends the blocks of a tour along.
 */
import type { Core } from '@strapi/strapi';

const buttons = { populate: { buttons: true } };

const populate = {
  photo: true,
  blocks: {
    on: {
      'block.banner': buttons,
      'block.tours': { populate: { tours: { populate: { photo: true } } } },
    },
  },
};

export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx, next) => {
    strapi.log.debug('tour with blocks');
    ctx.query.populate = populate;
    await next();
  };
};
