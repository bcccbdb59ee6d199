'use strict';

const { errors } = require('@strapi/utils');

// Refuses a note in capitals.
module.exports = ({ request }) => {
  const { text = '' } = (request.body && request.body.data) || {};
  if (text !== text.toLowerCase() && text === text.toUpperCase()) throw new errors.PolicyError('Please do not shout', { policy: 'is-calm' });
  return true;
};
