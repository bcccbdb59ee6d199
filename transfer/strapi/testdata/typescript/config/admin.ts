export default ({ env }) => ({ name: env('admin') });
