export default (plugin) => plugin;
