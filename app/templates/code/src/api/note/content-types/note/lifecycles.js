'use strict';

// Hooks: they run with every write, within its transaction.
const count = (event) => {
  const { data } = event.params;
  if (typeof data.text === 'string') data.words = data.text.split(/\s+/).filter(Boolean).length;
};

module.exports = {
  beforeCreate: count,
  beforeUpdate: count,
};
