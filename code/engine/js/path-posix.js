module.exports = require("path");
