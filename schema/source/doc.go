// Package source reads the JSON files of a site folder so that whatever is wrong
// with them is reported where it stands.
//
// Its nouns: a [Value] is one JSON value together with its file and its place in
// it; an [Object] has [Member]s in the order of the file; a [Word] is a text of a
// list. A [Problem] is what is wrong at a place, and what to do about it.
//
// [Parse] reads a file. The readers of a Value or an Object return what they were
// asked for or, where the file holds something else, add a problem to the list
// given to Parse and return nothing, so that reading goes on and one run reports
// every problem.
//
// Values live as long as the loading of a site; Problems are its error.
//
// The package does not know what any key means, nor which files there are.
package source
