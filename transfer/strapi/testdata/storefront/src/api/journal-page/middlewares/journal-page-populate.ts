/** Sends along what the front end shows of journal pages. */
import type { Core } from '@strapi/strapi';

const populate = {
  localizations: true,
  sections: {
    on: {
      'section.invitation': { populate: { buttons: true } },
      'section.further-articles': true,
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
