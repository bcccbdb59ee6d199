module.exports = (policyContext) => Boolean(policyContext.state.user);
