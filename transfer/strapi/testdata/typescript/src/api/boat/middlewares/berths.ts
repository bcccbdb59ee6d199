export default () => async (ctx, next) => {
  ctx.query.populate = { pier: true };
  await next();
};
