'use strict';
// The package @strapi/strapi, as far as projects use it.

const { factories } = require('quire/factories');
const { errors } = require('quire/errors');

const notHere = (name) => () => { throw new Error(`@strapi/strapi: ${name} does not run; the program starts the project itself`); };

module.exports = { factories, errors, createStrapi: notHere('createStrapi'), compileStrapi: notHere('compileStrapi'), default: { factories } };
