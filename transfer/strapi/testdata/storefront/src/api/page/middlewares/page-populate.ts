/** Sends along what the front end shows of pages. */
import type { Core } from '@strapi/strapi';

const populate = {
  localizations: true,
  sections: {
    on: {
      'section.opening': { populate: { buttons: true } },
      'section.reasons': { populate: { figures: { populate: { figures: true } }, makers: { populate: { logos: { populate: { picture: true } } } } } },
      'section.voices': { populate: { voices: { populate: { person: { populate: { picture: true } } } } } },
      'section.makers': { populate: { logos: { populate: { picture: true } } } },
      'section.prices': { populate: { plans: { populate: { points: true, button: true, product: true, localizations: { populate: { points: true, button: true } } } } } },
      'section.questions': { populate: { questions: true } },
      'section.invitation': { populate: { buttons: true } },
      'section.contact': { populate: { form: { populate: { fields: true } } } },
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
