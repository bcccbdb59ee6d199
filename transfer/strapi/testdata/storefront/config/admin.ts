const paths = { 'api::page.page': '', 'api::product.product': '/products', 'api::article.article': '/blog' };

export default ({ env }) => ({
  auth: { secret: env('ADMIN_JWT_SECRET') },
  preview: {
    enabled: true,
    config: {
      allowedOrigins: [env('CLIENT_URL')],
      async handler(uid, { documentId, locale, status }) {
        const { slug } = await strapi.documents(uid).findOne({ documentId, locale, status });
        const wanted = new URLSearchParams({ url: `/${locale}${paths[uid]}/${slug}`, secret: env('PREVIEW_SECRET'), status });
        return `${env('CLIENT_URL')}/api/preview?${wanted}`;
      },
    },
  },
});
