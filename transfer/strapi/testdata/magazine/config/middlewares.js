module.exports = [
  'strapi::logger', 'strapi::errors', 'strapi::security',
  { name: 'strapi::cors', config: { origin: ['https://magazine.example'] } },
  'strapi::poweredBy', 'strapi::query', 'global::trace',
  { name: 'strapi::body', config: { jsonLimit: '10mb', formidable: { maxFileSize: 20 * 1024 * 1024 } } },
  'strapi::session', 'strapi::favicon', 'strapi::public',
];
