module.exports = require("http").client("https:");
