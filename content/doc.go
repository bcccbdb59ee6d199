// Package content is a write below HTTP: the rules that turn a body into the
// entries of a document.
//
// Its nouns: an [Input] is a checked body, made by [Decode], and belongs to one
// write. A [Request] asks for one write of a document; a [Writer] carries
// requests out and answers with a [Result].
//
// A write goes through four steps. Decode checks keys and values as far as the
// schema and the caller's rights tell, without looking at content. The Writer
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
// entry that owns the relation, naming documents, so publishing never rewrites
// links; writing through the inverse side edits the owners.
//
// Errors are typed: [ValidationError] and [KeyError] for what the body says,
// [ApplicationError] for what does not fit the document, [NotFoundError] for a
// document that is not there; everything else comes from the store.
//
// An import has two other doors: a [Loader] carries out a great many writes at
// once, by the same rules, and a [Restorer] puts back whole entries as an archive
// has them. Both need the data file for themselves; [Writer.Alone] gives it to
// them while a Writer is in use.
//
// What writes guarantee of the content as a whole, [Audit] checks and [Repair]
// restores as far as nothing is lost by it; [Migration] follows attributes that a
// schema has renamed or given up.
//
// The package knows neither URLs nor status codes nor how an answer is written,
// and asks about callers only through [schema.Access].
package content
