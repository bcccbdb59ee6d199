'use strict';

/**
 * boat controller
 */

const { createCoreController } = require('@strapi/strapi').factories;

module.exports = createCoreController('api::boat.boat');
