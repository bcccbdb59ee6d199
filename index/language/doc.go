// Package language divides texts into the words by which people search them.
//
// Its nouns: a [Language] is how the words of a locale are read: where they end, their stems,
// and which of them say little. A [Token] is one word of a text, folded: in lower case,
// without accents. Scripts that are written without spaces have no words that can be found
// without a dictionary; their tokens are grams, each of two neighbouring characters.
//
// All of it is immutable. The package knows nothing of indexes, queries or attributes.
package language
