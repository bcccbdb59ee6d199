'use strict';

// Before note.js, whose /notes/:id would match too: files are read in the order of their names.
module.exports = {
  routes: [{ method: 'GET', path: '/notes/longest', handler: 'note.longest' }],
};
