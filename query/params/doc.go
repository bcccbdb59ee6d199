// Package params reads query strings.
//
// [Parse] turns one into a tree of [Node]s, like Strapi's own parser: brackets name members
// of objects and positions in lists, and a key without a value is null. [FromJSON] makes
// the same tree from JSON. [Limits] limit what either accepts, before memory is allocated.
// What they refuse is a [ParamError], which names the parameter.
//
// A tree is read-only after parsing, and lives as long as its holder.
//
// The package knows no content type and no meaning of any parameter.
package params
