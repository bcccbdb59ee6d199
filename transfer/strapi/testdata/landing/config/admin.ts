const site = 'https://landing.example';

export default ({ env }) => ({
  auth: { secret: env('ADMIN_JWT_SECRET') },
  preview: { enabled: true, config: { allowedOrigins: [site], handler: (uid, { slug }) => `${site}/${slug}` } },
});
