// Package bulk writes very many entries into a data file that no other process has open, such
// as the copy that an import works on.
//
// It has two ways to write. A [Loader] carries out writes by the rules of package content: each
// is a [Load], read from a line by [DecodeLoad]. A [Restorer] stores whole entries as an archive
// has them: each is an [Archived], read by [DecodeArchived]. Both live for one import, collect
// their entries in a [store.Spool], and write them to the file in Finish. [content.Writer.Alone]
// gives them the file of a site that is in use.
//
// The package plans nothing itself, and does not know where lines come from.
package bulk
