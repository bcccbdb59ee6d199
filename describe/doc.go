// Package describe tells programs what the API of a site looks like: as
// TypeScript types, and as an OpenAPI 3.1 document.
//
// Its nouns:
//
//   - A name is what a type of the site is called in both descriptions,
//     "Restaurant" for api::restaurant.restaurant. Names follow from the schemas
//     alone, so that they stay the same from one run to the next.
//   - A Route is one operation that the document is to describe. Whoever serves
//     the API hands over its routes; nothing else is described.
//   - A schema, here, is a JSON schema in the document.
//
// A description is made from a loaded site in one go and kept by nobody here.
// What a type looks like to its readers leaves out what nobody may see: private
// attributes and passwords. What can be written has them.
//
// The package knows no requests, no content and no callers.
package describe
