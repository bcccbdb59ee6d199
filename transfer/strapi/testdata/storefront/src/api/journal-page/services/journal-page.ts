import { factories } from '@strapi/strapi';
export default factories.createCoreService('api::journal-page.journal-page');
