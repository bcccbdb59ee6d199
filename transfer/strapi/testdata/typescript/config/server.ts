export default ({ env }) => ({ name: env('server') });
