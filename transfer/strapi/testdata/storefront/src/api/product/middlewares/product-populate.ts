/** Sends along what the front end shows of products. */
import type { Core } from '@strapi/strapi';

const populate = {
  points: true,
  pictures: true,
  localizations: true,
  sections: {
    on: {
      'section.further-products': { populate: { products: { populate: { pictures: true } } } },
    },
  },
  categories: { populate: { product: true, articles: { populate: { sections: { on: { 'section.further-articles': true, 'section.invitation': { populate: { buttons: true } } } } } } } },
  plans: { populate: { points: true, button: true, product: true, localizations: { populate: { points: true, button: true } } } },
};

export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx, next) => {
    ctx.query.populate = populate;
    await next();
  };
};
