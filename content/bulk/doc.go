// Package bulk brings a great many entries into a data file that nobody else has
// open, such as the copy that an import works on.
//
// It has two doors. A [Loader] carries out writes by the rules of package content:
// each is a [Load], read from a line by [DecodeLoad]. A [Restorer] puts back whole
// entries as an archive has them: each is an [Archived], read by [DecodeArchived]. Both
// live for one import, gather what they do in a [store.Spool], and bring it into the file
// in Finish. [content.Writer.Alone] gives them the file of a site that is
// in use.
//
// The package plans nothing itself, and does not know where lines come from.
package bulk
