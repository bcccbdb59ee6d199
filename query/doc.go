// Package query answers reads.
//
// Its nouns: a [Compiler] resolves the parameters of a request, a tree that package params
// reads from a query string, against the schema and what the caller may do, at every level
// and before anything runs. What it refuses is a typed error that names the key. A [Query]
// is the result; from the request it keeps only the values to compare with. A Query runs
// against an index.Snapshot: it selects rows by set algebra over postings, orders as many
// as the page needs, and appends the response's JSON to a byte slice, including populated
// entries. A [Plan] says how. A [Host] limits the time and memory of a run.
//
// A filter compiles to a condition with every $not pushed down to the single comparisons,
// in the three-valued logic of SQL: a comparison with null is not true, nor is its
// negation. Naming a relation or a component means "some related row", and if there is
// none, one row of nulls. A condition selects the set of rows of a table that match it
// (select.go), or is checked on one row (match.go): for the few rows of a populated list,
// or if few rows are left.
//
// Three things are decided in one place each: filter.go resolves every key that a caller
// names, versions.go decides which version of an entry a query reads, and event.go who may
// see that something was done to an entry.
//
// A list continues after a cursor, the encrypted place of the last entry of a page in the
// order (cursor.go). fallback.go decides which locale of a document a read shows.
//
// A Compiler lives as long as its site and is shared; so is a Query, unless it is
// guarded or observed. A run lasts as long as the call that made it.
//
// The package knows nothing of HTTP, of the file, or of who the caller is.
package query
