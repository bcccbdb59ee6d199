/** Sends along what the front end shows of articles. */
import type { Core } from '@strapi/strapi';

const populate = {
  localizations: true,
  picture: true,
  categories: { populate: { product: true, articles: { populate: { sections: { on: { 'section.further-articles': true, 'section.invitation': { populate: { buttons: true } } } } } } } },
  sections: {
    on: {
      'section.further-articles': { populate: { articles: { populate: { picture: true } } } },
      'section.invitation': { populate: { buttons: true } },
    },
  },
  search: { populate: { picture: true } },
};

export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx, next) => {
    ctx.query.populate = populate;
    await next();
  };
};
