// Package query answers reads.
//
// Parse turns a query string into a tree of Nodes. A Compiler resolves the tree
// against the schema and what the caller may do, at every level and before
// anything runs; what it refuses is a typed error that names the key. The
// result, a Query, contains no string that came from outside but the values to
// compare with. A Query runs against an index.Snapshot: it selects rows by set
// algebra over postings, orders as many as the page needs, and appends the
// answer's JSON to a byte slice, populated entries included.
//
// A filter compiles to a condition with every $not pushed down to the single
// comparisons, in the three-valued logic of SQL: a comparison with null is not
// true, nor is its negation. Naming a relation or a component means "some
// related row", and where there is none, one row of nulls. The same condition
// can be asked for a set of rows and for one row; the first way is for
// selecting, the second for the few rows of a populated list.
//
// The package knows nothing of HTTP, of the file, or of who the caller is.
package query
