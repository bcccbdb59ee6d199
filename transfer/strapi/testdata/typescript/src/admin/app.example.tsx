export default { config: {} };
