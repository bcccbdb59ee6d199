'use strict';
// Errors that a project's code throws, and the response that each becomes.

const statusNames = {
  400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed',
  406: 'Not Acceptable', 407: 'Proxy Authentication Required', 408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required',
  412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type', 416: 'Range Not Satisfiable',
  417: 'Expectation Failed', 418: "I'm a Teapot", 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked',
  424: 'Failed Dependency', 425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
  431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons', 500: 'Internal Server Error', 501: 'Not Implemented',
  502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates',
  507: 'Insufficient Storage', 508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended', 511: 'Network Authentication Required',
};

/** An error with a message for the client: 400 unless its class has another status. */
class ApplicationError extends Error {
  constructor(message = 'An application error occured', details = {}) {
    super(message);
    this.name = 'ApplicationError';
    this.details = details;
  }
}

/** kind makes a class of errors with a name, a default message and a status. */
function kind(name, message, Parent = ApplicationError, status = 400) {
  const Kind = {
    [name]: class extends Parent {
      constructor(text = message, details = {}) {
        super(text, details);
        this.name = name;
      }
    },
  }[name];
  Kind.status = status;
  return Kind;
}

ApplicationError.status = 400;
const ValidationError = kind('ValidationError', 'Validation error');
const PaginationError = kind('PaginationError', 'Invalid pagination');
const NotFoundError = kind('NotFoundError', 'Entity not found', ApplicationError, 404);
const ForbiddenError = kind('ForbiddenError', 'Forbidden access', ApplicationError, 403);
const PolicyError = kind('PolicyError', 'Policy Failed', ForbiddenError, 403);
const UnauthorizedError = kind('UnauthorizedError', 'Unauthorized', ApplicationError, 401);
const ConflictError = kind('ConflictError', 'Conflict', ApplicationError, 409);
const RateLimitError = kind('RateLimitError', 'Too many requests, please try again later.', ApplicationError, 429);
const PayloadTooLargeError = kind('PayloadTooLargeError', 'Entity too large', ApplicationError, 413);
const NotImplementedError = kind('NotImplementedError', 'This feature is not implemented yet', ApplicationError, 501);

/** YupValidationError turns an error of the package yup into one with its paths. */
class YupValidationError extends ValidationError {
  constructor(error, message) {
    const inner = error.inner && error.inner.length > 0 ? error.inner : [error];
    const list = inner.map((e) => ({ path: e.path ? e.path.split(/[.[\]]+/).filter(Boolean) : [], message: e.message, name: e.name, value: e.value }));
    super(message || (list.length === 1 ? list[0].message : `${list.length} errors occurred`), { errors: list });
  }
}

/** HttpError is what ctx.throw throws. */
class HttpError extends Error {
  constructor(status, message, properties) {
    super(message || statusNames[status] || String(status));
    Object.assign(this, properties);
    this.status = this.statusCode = status;
    this.expose = properties && 'expose' in properties ? properties.expose : status < 500;
    const words = (statusNames[status] || 'Http').replace(/[^ A-Za-z]/g, '').split(' ');
    const name = words.map((w) => w[0].toUpperCase() + w.slice(1)).join('');
    this.name = name.endsWith('Error') ? name : `${name}Error`;
  }
}

const classes = {
  ApplicationError, ValidationError, YupValidationError, PaginationError, NotFoundError, ForbiddenError, PolicyError, UnauthorizedError,
  ConflictError, RateLimitError, PayloadTooLargeError, NotImplementedError,
};

/** fromHost gives an error of the host the class that its name or its status stands for. */
function fromHost(error) {
  if (error && Number.isInteger(error.status) && !Object.hasOwn(classes, error.name)) {
    const { status, message, details, name, stack } = error;
    return Object.assign(new HttpError(status, message, { details, expose: true }), { name, stack });
  }
  const Kind = error && Object.hasOwn(classes, error.name) && error.name !== 'YupValidationError' ? classes[error.name] : null;
  if (!Kind || error instanceof Kind) return error;
  const known = new Kind(error.message, error.details === undefined || error.details === null ? {} : error.details);
  known.stack = error.stack;
  return known;
}

const internal = { status: 500, body: { data: null, error: { status: 500, name: 'InternalServerError', message: statusNames[500] } } };

/** describe returns the status and body that stand for an error; `internal` is set for one of the code itself. */
function describe(error) {
  if (error instanceof ApplicationError) {
    const status = error.constructor.status || 400;
    return { status, body: { data: null, error: { status, name: error.name, message: error.message, details: error.details } } };
  }
  const status = error instanceof Error ? error.status || error.statusCode : 0;
  const exposed = error instanceof HttpError ? error.expose : error && error.expose === true;
  if (Number.isInteger(status) && status >= 400 && status < 600 && exposed) {
    const name = error instanceof HttpError ? error.name : new HttpError(status).name;
    return { status, body: { data: null, error: { status, name, message: error.message, details: error.details } } };
  }
  if (error instanceof HttpError) {
    const { name, message } = new HttpError(error.status);
    return { status: error.status, body: { data: null, error: { status: error.status, name, message } }, internal: true };
  }
  return { ...internal, internal: true };
}

module.exports = { errors: { ...classes, HttpError }, HttpError, statusNames, fromHost, describe };
