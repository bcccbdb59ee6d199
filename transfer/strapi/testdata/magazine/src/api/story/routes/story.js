'use strict';

const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('api::story.story', {
  config: { find: { middlewares: ['api::story.relations'] }, findOne: { middlewares: ['api::story.relations'] } },
  only: ['find', 'findOne', 'create', 'update', 'delete'],
  except: [],
});
