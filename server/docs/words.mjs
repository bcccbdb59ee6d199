// What the page says, in English and German. What the description of the API says is English.

const en = {
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

const de = {
  title: 'Content-API', loading: 'Wird geladen …', find: 'Typ oder Route suchen', findHint: 'dishes, POST, upload …', contents: 'Typen und Routen',
  types: 'Inhalte', others: 'Weitere Routen', queryLanguages: 'Abfragesprache', noTypes: 'Sie dürfen hier keine Inhalte lesen.',
  you: 'Sie sind', adminNote: 'Anfragen werden im Namen Ihres Kontos der Verwaltung gesendet. Programme nehmen ein API-Token.', signedOut: 'Sie sind in der Verwaltung abgemeldet. Melden Sie sich dort an und laden Sie diese Seite neu.', token: 'API-Token', useToken: 'Token verwenden', forget: 'Vergessen', tokenNote: 'Bleibt in dieser Seite, bis sie neu geladen oder geschlossen wird, und geht nur an diese Website.',
  access: 'Zugang', badToken: 'Diese Website kennt das Token nicht, oder es ist abgelaufen.', notAllowed: 'Dieses Token darf die Beschreibung nicht lesen. Verwenden Sie eines, das alles oder alles nur lesen darf, oder geben Sie seiner Rolle plugin::quire.openapi.find.',
  signInTitle: 'Anmelden, um diese API zu lesen', signInAbout: 'Diese Website zeigt die Beschreibung ihrer API nicht allen. Verwenden Sie ein API-Token, oder melden Sie sich als Benutzer der Website an, dessen Rolle sie lesen darf.',
  signInUser: 'Als Benutzer anmelden', identifier: 'Benutzername oder E-Mail', password: 'Passwort', signIn: 'Anmelden', giveToken: 'Geben Sie ein Token ein.', giveUser: 'Geben Sie Namen oder Adresse und das Passwort ein.',
  howToken: 'So entsteht ein Token, im Ordner der Website:', howPublic: 'So sehen alle die Beschreibung, in site.json:',
  noAnswer: 'Die Website antwortet nicht: {0}', wrong: 'Die Beschreibung kann nicht gezeigt werden: {0}',
  try: 'Ausprobieren', routes: 'Routen', example: 'Ein Eintrag dieser Website', exampleNote: 'So, wie Sie ihn sehen dürfen, mit allem, was dazugehört.', noExample: 'Es gibt keinen Eintrag, den Sie sehen dürfen.', noFind: 'Sie dürfen Einträge dieses Typs nicht auflisten.',
  all: 'Auch zeigen, was Sie nicht aufrufen dürfen', forbidden: 'nicht für Sie', versions: 'Entwurf & Veröffentlichung', localized: 'mehrsprachig', single: 'Einzeltyp',
  what: 'Lesen', list: 'Eine Liste', one: 'Ein Eintrag', count: 'Wie viele', groupBy: 'Gruppieren nach', addGroupBy: 'Gruppierung hinzufügen', addFigure: 'Zahl hinzufügen', figure: 'Zahl', sum: 'Summe', avg: 'Durchschnitt', min: 'kleinster Wert', max: 'größter Wert', id: 'documentId', idNote: 'Geben Sie die documentId eines Eintrags ein.',
  filters: 'Filter', match: 'Einträge erfüllen', and: 'all dies', or: 'eines davon', not: 'nichts davon zugleich', addCondition: 'Bedingung hinzufügen', addGroup: 'Gruppe hinzufügen', remove: 'Entfernen',
  attribute: 'Attribut', attributeOf: 'Attribut von {0}', operator: 'Operator', value: 'Wert', listHint: 'eins, zwei, …', eg: 'etwa {0}', yes: 'true', no: 'false',
  populate: 'Mitladen (populate)', nothing: 'Nichts', everything: 'Alles auf einer Ebene', choose: 'Auswählen', refine: '{0} verfeinern', populateIn: 'Mitladen in {0}',
  sort: 'Sortieren', addSort: 'Schlüssel hinzufügen', direction: 'Richtung', asc: 'aufsteigend', desc: 'absteigend',
  fields: 'Felder', fieldsNote: 'Alle, wenn Sie keine auswählen.', page: 'Seite', pageNumber: 'Seite', pageSize: 'Einträge je Seite', version: 'Fassung', locale: 'Sprache', status: 'Status', search: 'Suchen', siteDefault: 'Vorgabe', published: 'veröffentlicht', draft: 'Entwurf', noDraft: 'Entwurf (dürfen Sie nicht lesen)', everyLocale: '* (alle)',
  send: 'Senden', sending: 'Warten auf die Antwort …', url: 'URL', client: '@strapi/client', curl: 'curl', copy: 'Kopieren', copyOf: '{0} kopieren', copied: 'Kopiert', answer: 'Antwort', notSent: 'Senden Sie die Anfrage, um die Antwort zu sehen.', took: '{0} ms', cut: 'Die Antwort ist lang: Das ist ihr Anfang.',
  query: 'Abfrage', variables: 'Variablen in JSON', badVariables: 'Die Variablen sind kein JSON.', completions: 'Was hier stehen kann', schema: 'Schema', schemaNote: 'So, wie Sie es verwenden dürfen: ohne Operationen, die Sie nicht ausführen, und ohne Attribute, die Sie nicht lesen dürfen.',
  editorNote: 'Strg und Leertaste zeigen, was an dieser Stelle stehen kann. Strg und Eingabetaste senden die Abfrage.',
  plan: 'Plan', planNote: 'Mit einem Token, das alles darf, steht hier der Plan der Abfrage.', figures: 'Zahlen',
  required: 'nötig', parameters: 'Parameter', in: 'in {0}', brackets: 'was in den Klammern stehen darf', body: 'Inhalt der Anfrage', bodyExample: 'Ein Beispiel', answers: 'Antworten',
  open: 'für alle offen', free: 'braucht keine Anmeldung', locked: 'braucht eine Anmeldung', skip: 'Zum Inhalt',
  $eq: 'ist', $ne: 'ist nicht', $eqi: 'ist, groß oder klein', $nei: 'ist nicht, groß oder klein', $contains: 'enthält', $notContains: 'enthält nicht', $containsi: 'enthält, groß oder klein', $notContainsi: 'enthält nicht, groß oder klein',
  $startsWith: 'beginnt mit', $startsWithi: 'beginnt mit, groß oder klein', $endsWith: 'endet mit', $endsWithi: 'endet mit, groß oder klein', $lt: 'kleiner als', $lte: 'höchstens', $gt: 'größer als', $gte: 'mindestens', $between: 'zwischen', $in: 'eines von', $notIn: 'keines von', $null: 'ist leer', $notNull: 'ist nicht leer',
};

export const catalogues = { en, de };
const wanted = [new URLSearchParams(globalThis.location?.search).get('language'), ...(globalThis.navigator?.languages ?? [])].filter(Boolean);
export const language = wanted.map((tag) => tag.slice(0, 2)).find((tag) => tag in catalogues) ?? 'en';

// t is a message in the language of the reader.
export const t = (key, ...values) => catalogues[language][key].replace(/\{(\d)\}/g, (_, place) => values[place]);
