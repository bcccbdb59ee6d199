// Package archive brings content in and takes it out.
//
// Its nouns: an Archive is a file that Strapi's export wrote, or one of the same
// form; Lines are documents written one a line as JSON. An import of either is
// done on a copy of the data file, which takes the place of the original when
// everything is in it: see [Rework]. A [Report] says what came in and what was
// left out and why. A [Meter] shows how far a long import or export has come.
//
// What lines say goes through the rules of any other write, those of
// [content.Loader]. What an archive says was written by such rules elsewhere, so
// only its form is checked: entries keep their documentIds, order, times and
// numeric ids, and publishing them does not ask again what is required.
//
// An archive is hostile until it is read: names inside it are never used as
// paths, sizes are bounded before memory is taken, and what contradicts itself
// ends the import before the site has changed.
//
// The package knows nothing of HTTP, of terminals or of a running server.
package archive
