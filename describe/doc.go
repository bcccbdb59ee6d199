// Package describe describes the API of a site to programs: as TypeScript types, and
// as an OpenAPI 3.1 document.
//
// Its nouns:
//
//   - A name is what a type of the site is called in both descriptions,
//     "Restaurant" for api::restaurant.restaurant. Names follow from the schemas
//     alone, so that they stay the same from one run to the next.
//   - A Route is one operation of the document. The server passes the routes that it
//     serves; nothing else is described.
//   - A schema, here, is a JSON schema in the document.
//
// A description is made from a loaded site in one call, and the package keeps nothing
// of it. What answers show of a type leaves out what nobody may see: private
// attributes and passwords. What bodies may set has them.
//
// The package knows no requests, no content and no callers.
package describe
