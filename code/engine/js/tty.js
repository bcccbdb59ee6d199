module.exports = { isatty: () => false, ReadStream: class {}, WriteStream: class {} };
