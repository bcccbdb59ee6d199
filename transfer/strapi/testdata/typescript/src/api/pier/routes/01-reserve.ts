export default {
  routes: [{ method: 'POST', path: '/reserve', handler: 'pier.reserve' }],
};
