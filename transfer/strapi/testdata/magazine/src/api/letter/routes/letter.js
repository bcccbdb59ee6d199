'use strict';

const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('api::letter.letter', {
  config: { create: { auth: false }, update: { policies: ['is-writer'] } },
  except: ['delete'],
});
