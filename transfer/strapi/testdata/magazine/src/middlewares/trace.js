module.exports = () => async (ctx, next) => {
  await next();
  ctx.set('X-Trace', ctx.state.trace);
};
