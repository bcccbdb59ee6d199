module.exports = require("util");
