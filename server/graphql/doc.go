// Package graphql reads GraphQL as Strapi's plugin defines it.
//
// Its nouns: a [Schema] is the GraphQL schema of a site. A [Field] says what one field of
// it means: which operation of which content type, or which attribute. A [Request] is what
// a client sent. [Schema.Prepare] turns it into an [Operation], which has been parsed,
// checked against the schema and supplied with its variables, or refuses it with a
// [Refusal]. A [Run] runs it for a caller; a subscription becomes a [quire/server/live.Subscription]. [Limits] limit what it accepts, before work is done. A [Selected] is one field
// of an operation, as the response shows it. [Operation.Tree] makes of a field at the top
// and everything below it the one tree that package query compiles: so package query
// decides what the caller may see, as it does for REST.
//
// A Schema lives as long as its site and is shared. It keeps the queries that were used last,
// parsed. An Operation belongs to one request or, if it is a subscription, to one stream.
//
// The package has no rule about content, and decides nothing about permissions.
package graphql
