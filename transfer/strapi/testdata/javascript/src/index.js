'use strict';

module.exports = {
  /**
   * Runs before the application is there.
   */
  register(/*{ strapi }*/) {},

  bootstrap(/*{ strapi }*/) {},
};
