export default () => (ctx, next) => next();
