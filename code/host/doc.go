// Package host answers what a project's own code asks of Quire: the innermost operations of
// strapi.documents and strapi.db.query, transactions, and what the caller of a request may see
// and send.
//
// Its nouns: a [Host] answers calls, which have a name and JSON in and out. A call can
// run in a transaction; without one, a read sees what is committed, and a write is a
// transaction of its own.
//
// The code belongs to the owner of the site: it reads and writes everything but passwords.
// What the caller of a request may see is decided by package documents.
//
// The package knows neither JavaScript nor HTTP.
package host
