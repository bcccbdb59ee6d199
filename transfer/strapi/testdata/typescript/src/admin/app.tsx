export default { config: { locales: ['de'] }, bootstrap() {} };
