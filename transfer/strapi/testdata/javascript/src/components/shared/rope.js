module.exports = { attributes: { length: { type: 'integer' } } };
