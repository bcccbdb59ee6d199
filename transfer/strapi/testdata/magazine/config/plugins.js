module.exports = ({ env }) => ({
  graphql: { enabled: true, config: { depthLimit: 7 } },
  upload: { config: { sizeLimit: 15_000_000, provider: 'local' } },
  documentation: { enabled: false },
});
