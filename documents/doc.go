// Package documents says what can be asked of the documents of a site, and by whom. REST,
// the admin and every other way in ask it. Nothing else decides what a caller may see and
// change.
//
// Its nouns: a [Service] answers for one version of a site; it never changes and is shared.
// A [Call] is what one caller asks for in one request: all its reads see one snapshot, and
// take from one [Budget]. A [Read] is a query that has been resolved against the schema and
// the rights of the caller, and has not run yet; so a caller who has the response already
// can be recognised by [Read.LastChange]. A [Write] is one change of a document that is
// ready to be done, alone or together with others in one transaction ([Call.Do]). A
// [History] has the former versions of one document.
//
// Arguments are values: a content type, the id of a document, a tree of parameters, a body
// that has been parsed. Results are JSON that is appended to a byte slice, or values.
//
// [Explain] is the one table of errors: what the error of any package below means for
// whoever asked. A way in turns a [Problem] into its own protocol.
//
// The package knows nothing of requests, connections or headers.
package documents
