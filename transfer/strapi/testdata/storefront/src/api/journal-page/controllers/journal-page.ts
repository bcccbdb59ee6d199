import { factories } from '@strapi/strapi';
export default factories.createCoreController('api::journal-page.journal-page');
