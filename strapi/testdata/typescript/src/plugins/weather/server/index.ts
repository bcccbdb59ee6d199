export default { services: {} };
