module.exports = { init: () => ({ upload() {}, delete() {} }) };
