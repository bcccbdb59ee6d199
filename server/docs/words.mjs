// What the page says, in English; words-de.mjs and so on have the other languages, and one of them is
// loaded when it is used. What the description of the API says is English.

export const en = {
  title: 'Content API', loading: 'Loading …', find: 'Find a type or a route', findHint: 'dishes, POST, upload …', contents: 'Types and routes',
  types: 'Content', others: 'More routes', queryLanguages: 'Query language', noTypes: 'You may read no content here.',
  you: 'You are', adminNote: 'Requests are sent in the name of your account of the admin. Programs use an API token.', signedOut: 'You are signed out of the admin. Sign in there, and load this page again.', token: 'API token', useToken: 'Use token', forget: 'Forget it', tokenNote: 'Stays in this page until it is reloaded or closed, and is sent to this site alone.',
  access: 'Access', badToken: 'This site does not know the token, or it has expired.', notAllowed: 'This token may not read the description. Use one that is full-access or read-only, or give its role plugin::quire.openapi.find.',
  signInTitle: 'Sign in to read about this API', signInAbout: 'This site does not show the description of its API to everybody. Use an API token, or sign in as a user of the site whose role may read it.',
  signInUser: 'Sign in as a user', identifier: 'Username or email', password: 'Password', signIn: 'Sign in', giveToken: 'Type or paste a token.', giveUser: 'Type the name or address, and the password.',
  howToken: 'To make a token, in the folder of the site:', howPublic: 'To show the description to everybody, in site.json:',
  noAnswer: 'The site does not answer: {0}', wrong: 'The description cannot be shown: {0}',
  try: 'Try it', routes: 'Routes', example: 'An entry of this site', exampleNote: 'As you may see it, with all that belongs to it.', noExample: 'There is no entry that you may see.', noFind: 'You may not list entries of this type.',
  all: 'Also show what you may not call', forbidden: 'not for you', versions: 'draft & publish', localized: 'localized', single: 'single type',
  what: 'Read', list: 'A list', one: 'One entry', count: 'How many', groupBy: 'Group by', addGroupBy: 'Add grouping', addFigure: 'Add figure', figure: 'Figure', sum: 'sum', avg: 'average', min: 'least', max: 'greatest', id: 'documentId', idNote: 'Type the documentId of an entry.',
  filters: 'Filters', match: 'Entries match', and: 'all of these', or: 'any of these', not: 'not these', addCondition: 'Add condition', addGroup: 'Add group', remove: 'Remove',
  attribute: 'Attribute', attributeOf: 'Attribute of {0}', operator: 'Operator', value: 'Value', listHint: 'one, two, …', eg: 'such as {0}', yes: 'true', no: 'false',
  populate: 'Populate', nothing: 'Nothing', everything: 'Everything on one level', choose: 'Choose', refine: 'Refine {0}', populateIn: 'Populate in {0}',
  sort: 'Sort', addSort: 'Add sort key', direction: 'Direction', asc: 'ascending', desc: 'descending',
  fields: 'Fields', fieldsNote: 'All, unless you choose some.', page: 'Page', pageNumber: 'Page', pageSize: 'Entries a page', version: 'Version', locale: 'Locale', status: 'Status', search: 'Search', siteDefault: 'default', published: 'published', draft: 'draft', noDraft: 'draft (you may not read it)', everyLocale: '* (all)',
  send: 'Send', sending: 'Waiting for the answer …', url: 'URL', client: '@strapi/client', curl: 'curl', copy: 'Copy', copyOf: 'Copy {0}', copied: 'Copied', answer: 'Answer', notSent: 'Send the request to see the answer.', took: '{0} ms', cut: 'The answer is long: this is its beginning.',
  query: 'Query', variables: 'Variables in JSON', badVariables: 'The variables are not JSON.', completions: 'What can stand here', schema: 'Schema', schemaNote: 'As you may use it: no operation that you may not run, and no attribute that you may not read.',
  editorNote: 'Control and Space show what can stand at the cursor. Control and Enter send the query.',
  plan: 'Plan', planNote: 'With a token of full access the plan of the query is shown here.', figures: 'Figures',
  required: 'required', parameters: 'Parameters', in: 'in {0}', brackets: 'what may stand in the brackets', body: 'Body', bodyExample: 'An example', answers: 'Answers',
  open: 'open to everybody', free: 'needs no credential', locked: 'needs a credential', skip: 'Skip to the content',
  $eq: 'is', $ne: 'is not', $eqi: 'is, any case', $nei: 'is not, any case', $contains: 'contains', $notContains: 'does not contain', $containsi: 'contains, any case', $notContainsi: 'does not contain, any case',
  $startsWith: 'begins with', $startsWithi: 'begins with, any case', $endsWith: 'ends with', $endsWithi: 'ends with, any case', $lt: 'less than', $lte: 'at most', $gt: 'greater than', $gte: 'at least', $between: 'between', $in: 'one of', $notIn: 'none of', $null: 'is empty', $notNull: 'is not empty',
};

const languages = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'ja', 'zh'];
const wanted = [new URLSearchParams(globalThis.location?.search).get('language'), ...(globalThis.navigator?.languages ?? [])].filter(Boolean);
export const language = wanted.map((tag) => tag.slice(0, 2)).find((tag) => languages.includes(tag)) ?? 'en';
const words = language === 'en' ? en : (await import(`./words-${language}.mjs`)).default;

// t is a message in the language of the reader.
export const t = (key, ...values) => words[key].replace(/\{(\d)\}/g, (_, place) => values[place]);
