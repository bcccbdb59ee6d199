/** Sends along what the front end shows of globals. */
import type { Core } from '@strapi/strapi';

const populate = {
  header: { populate: { links: true, actions: true, logo: { populate: { picture: true } } } },
  footer: { populate: { links: true, logo: { populate: { picture: true } } } },
  search: { populate: { picture: true } },
};

export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx, next) => {
    ctx.query.populate = populate;
    await next();
  };
};
