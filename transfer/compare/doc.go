// Package compare finds what differs between two data files.
//
// Its nouns: a [Side] is a data file that is read, with the schemas that go with it where
// they are known; a [Change] is a document in one locale that only one side has, or that
// differs. [Walk] reads both sides in the order of their keys, one entry at a time, so
// what it needs of memory does not grow with the content. [Schemas] compares two sites.
//
// Names of attributes are always shown. A value is shown only where the schemas of a side
// have its attribute and none hides it: private attributes, passwords and what no schema
// knows stay out (value.go).
//
// A call lasts as long as the walk, and keeps both files in a view meanwhile. The package
// knows no backup and no site folder, and changes nothing.
package compare
