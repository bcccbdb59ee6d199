export default () => ({ upload: { config: { provider: 'aws-s3' } }, i18n: { enabled: true } });
