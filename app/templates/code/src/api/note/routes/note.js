'use strict';

const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('api::note.note', {
  config: { create: { policies: ['is-calm'] }, update: { policies: ['is-calm'] } },
});
