module.exports = { ...require("fs").constants };
