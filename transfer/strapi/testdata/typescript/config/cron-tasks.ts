export default { '0 4 * * *': ({ strapi }) => strapi.log.info('high water') };
