export default ({ env }) => ({ name: env('database') });
