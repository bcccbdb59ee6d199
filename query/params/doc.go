// Package params reads query strings.
//
// [Parse] turns one into a tree of [Node]s, as Strapi's own parser does: brackets name
// members of objects and positions in lists, and a key without a value is null.
// [FromJSON] makes the same tree of JSON. [Limits] bound what either accepts, before
// it is allocated. What they refuse is a [ParamError], which names the parameter.
//
// A tree is read-only once it is parsed and lives as long as whoever holds it.
//
// The package knows no content type and no meaning of any parameter.
package params
