'use strict';

const { createCoreController } = require('@strapi/strapi').factories;

module.exports = createCoreController('api::note.note', ({ strapi }) => ({
  // The list, with the number of words on the page.
  async find(ctx) {
    const { data, meta } = await super.find(ctx);
    const words = data.reduce((sum, note) => sum + (note.words || 0), 0);
    return { data, meta: { ...meta, words } };
  },

  // GET /api/notes/longest
  async longest(ctx) {
    const note = await strapi.documents('api::note.note').findFirst({ sort: 'words:desc' });
    if (!note) return ctx.notFound('There are no notes yet');
    return { data: await this.sanitizeOutput(note, ctx) };
  },
}));
