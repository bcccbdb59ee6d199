export default ['strapi::errors', { name: 'strapi::body', config: { jsonLimit: '10mb' } }, { name: 'strapi::cors', config: { origin: ['https://harbour.example'] } }];
