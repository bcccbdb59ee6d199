// Package push finds out what one site has changed since it and another one were the same, and
// how to make the same changes in the other one.
//
// Its nouns: a [Side] is the content of a site, with its schemas. A [Plan] has the steps that
// change the side to, as one change set; the documents that both sides have changed, which are
// conflicts; and those that stay as they are. A write is known by its number and its time. What
// both sides have of the same write was common to them, so the last such write is where they
// parted: [Make] compares all entries, and the history of those that differ. From then on, a
// document has been changed by the side that has later writes of it. After a push, the documents
// that it has changed have numbers of their own on each side: [Plan.Note] records these pairs.
//
// The package knows no site folder and no bytes of files, and writes nothing but its records.
package push
