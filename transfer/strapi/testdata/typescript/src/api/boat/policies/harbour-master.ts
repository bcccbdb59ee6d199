export default (policyContext) => policyContext.state.user?.harbourMaster === true;
