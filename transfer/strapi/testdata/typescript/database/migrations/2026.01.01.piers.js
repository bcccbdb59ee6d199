module.exports = { async up(knex) { await knex('piers').update({ name: 'North' }); } };
