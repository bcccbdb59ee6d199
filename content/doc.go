// Package content is a write below HTTP: the rules that turn a checked body into
// the entries of a document.
//
// Its nouns: a [Request] asks for one write of a document; a [Writer] carries
// requests out and answers with a [Result].
//
// A write goes through four steps. Package body has checked keys and values as far
// as the schema and the caller's rights tell, without reading content. The Writer
// then plans the write against the content as it stands: it finds link targets,
// merges the input into the stored versions, publishes, carries shared values
// to the other locales, and ends up with a list of changes. Only a plan that was
// accepted as a whole is applied. Writers queue; all that wait share one store
// transaction, one fsync and one new snapshot, and each sees what those before
// it in the batch did.
//
// A document has one entry for each locale and status. Types without draft and
// publish have published entries only; in the others a write always goes to the
// draft, and publishing copies the draft. Links are stored as edges with the
// entry that owns the relation. They name documents, and lead from drafts to
// drafts and from published entries to published ones. Writing through the inverse
// side edits the owners of the version that is written; publishing makes the
// published links of both sides what those of the draft are.
//
// Errors are typed: [body.ValidationError] and [body.KeyError] for what the body says,
// [ApplicationError] for what does not fit the document, [NotFoundError] for a
// document that is not there; everything else comes from the store.
//
// Whoever has a data file for itself, such as package bulk, has a [Planner] plan
// writes by the same rules and applies each [Plan]. [Writer.Alone] gives it the file
// while a Writer is in use.
//
// The package knows neither URLs nor status codes nor how an answer is written,
// and asks about callers only through [schema.Access]. What a caller may not change is a
// [ForbiddenError]: see [For].
package content
