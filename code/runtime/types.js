'use strict';
// The package @strapi/types has types only.
module.exports = {};
