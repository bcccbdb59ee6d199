export default { rest: { defaultLimit: 30, maxLimit: 250, withCount: true }, responses: { privateAttributes: ['createdAt'] } };
