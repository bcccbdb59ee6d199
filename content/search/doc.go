// Package search keeps what the admin knows of searches: the words that people set there, and
// what visitors searched for without finding anything.
//
// Its nouns: a [Lexicon] has the words in memory, as searches use them besides those of
// site.json. It follows each commit. [Missed] counts searches that found nothing, in memory at
// first and then in the data file, by day.
//
// The package knows neither who searches nor how a search is run. Whoever calls Missed.Add has
// to make sure that the text is that of a visitor, who sees no more than everybody.
package search
