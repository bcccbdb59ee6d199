// Package archive imports and exports content.
//
// Its nouns: an archive is a file written by Strapi's export, or one in the same format. Lines
// are documents in JSON, one on each line. A [Report] says what was imported, and what was left
// out and why. A [Meter] shows the progress of an import or export. Each lives as long as one
// import or export.
//
// An import works on a copy of the data, which replaces the original when it is complete: see
// [store.DB.Rework].
//
// Lines follow the rules of any other write, because they go through [bulk.Loader]. The content
// of an archive was written by such rules elsewhere, so the import checks only its form:
// entries keep their documentIds, order, times and numeric ids, and required values are not
// checked again.
//
// An archive is untrusted: names in it are never used as paths, sizes are limited before memory
// is allocated, and an archive that contradicts itself ends the import before the site has
// changed.
//
// The package knows no HTTP, no terminal and no running server, nor how the data file stores
// entries.
package archive
