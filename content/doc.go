// Package content carries out writes, without HTTP: it applies the rules that turn a checked
// body into the entries of a document.
//
// Its nouns: a [Request] requests one write of a document, and a [Step] one action that writes
// no new content, such as publishing. A [Writer] carries them out, alone or several [Write]s
// together, and returns a [Result] for each. It lasts until the site or its data is replaced.
//
// Package body has checked keys and values against the schema and the caller's rights, without
// reading content. If the site has hooks, the Writer asks each [Hook], which can refuse the write
// or change its data. Then it plans the write against the current content: it finds link
// targets, merges the input into the stored versions, publishes, and copies shared values to the
// other locales. The plan is a list of changes, and is applied only if all of it was accepted.
// Writes queue: all that wait share one store transaction, one fsync and one new snapshot, and
// each sees the changes of those before it in the batch.
//
// A document has one entry for each locale and status. Types without draft and publish have only
// published entries. In other types a write always goes to the draft, and publishing copies the
// draft. Links are stored as edges with the entry that owns the relation. They name documents,
// and lead from drafts to drafts and from published entries to published ones. Writing through
// the inverse side changes the owners of the version that is written. Publishing makes the
// published links of both sides equal to those of the draft.
//
// Errors are typed: [body.ValidationError] and [body.KeyError] for the body,
// [ApplicationError] for what does not fit the document, [NotFoundError] for a document that
// does not exist, [ConflictError] for one that has changed, and [RefusedError], [UnaskedError]
// and [OvertakenError] if hooks are asked. [PanicError] is a defect. All other errors come from
// the context or the store.
//
// Code with exclusive access to a data file, such as package bulk, uses a [Planner] to plan
// writes by the same rules, and applies each [Plan]. [Writer.Alone] gives it the file while a
// Writer is in use.
//
// The package knows neither URLs nor status codes nor the form of responses, and asks about
// callers only through [schema.Access]. A change that a caller may not make is a
// [ForbiddenError]: see [For].
package content
