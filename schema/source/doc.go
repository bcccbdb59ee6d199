// Package source reads the JSON files of a site folder and reports each problem with its place.
//
// Its nouns: a [Value] is one JSON value with its file and its place in it; an [Object] has
// [Member]s in the order of the file; a [Word] is a text of a list. A [Problem] says what is
// wrong at a place, and how to fix it.
//
// [Parse] reads a file. The readers of a Value or an Object return what was requested. If the
// file has something else, they add a problem to the list given to Parse and return nothing, so
// that reading continues and one run reports every problem.
//
// Values live as long as the loading of a site; Problems are its error.
//
// The package does not know the meaning of keys, nor which files exist.
package source
