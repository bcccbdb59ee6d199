export default ({ env }) => ({ name: env('api') });
