// Package describe describes the API of a site for programs: as TypeScript types, and as an
// OpenAPI 3.1 document.
//
// Its nouns:
//
//   - A name is the name of a type in both descriptions, "Restaurant" for
//     api::restaurant.restaurant. Names depend only on the schemas, so that they stay the same
//     from one run to the next.
//   - A Route is one operation of the document. The server passes the routes that it serves;
//     nothing else is described.
//   - A schema, here, is a JSON schema in the document.
//   - An operation is what a route takes and answers. The file builtin.api has all of them, and
//     the schemas that do not depend on the content types.
//
// A description is made from a loaded site in one call, and the package keeps nothing. The types
// of responses leave out private attributes and passwords. The types of bodies have them.
//
// The package knows no requests, no content and no callers.
package describe
