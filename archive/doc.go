// Package archive imports content and exports it.
//
// Its nouns: an archive is a file that Strapi's export wrote, or one of the same form.
// Lines are documents written as JSON, one a line. A [Report] says what was taken, and
// what was left out and why. A [Meter] shows how far a long import or export is. Each
// lives as long as one import or export.
//
// An import works on a copy of the data, which takes the place of the original when
// everything is in it: see [store.DB.Rework].
//
// Lines obey the rules of any other write: they go through [bulk.Loader]. What an
// archive holds was written by such rules elsewhere, so the import checks only its form:
// entries keep their documentIds, order, times and numeric ids, and publishing them does
// not ask again for what is required.
//
// An archive is hostile until it was read: names inside it are never used as paths, sizes
// are bounded before memory is taken, and an archive that contradicts itself ends the
// import before the site has changed.
//
// The package knows no HTTP, no terminal and no running server, and not how the data file
// is stored.
package archive
