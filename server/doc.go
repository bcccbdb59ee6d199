// Package server speaks HTTP: it turns a request into calls of the packages below, and their
// results into a response. It has no rules about content.
//
// Its nouns:
//
//   - A Server lives as long as the program, across versions of the site.
//   - A siteVersion is one served version of the site: its types, its data, its routes. A
//     reload replaces it in one step. Requests in progress finish with the one that they began
//     with.
//   - A Route is a method and a path with the permission that it needs. The table of routes
//     follows from the schemas.
//   - A request is one request of HTTP and its response. Its id is in its log lines and in its
//     response.
//   - A problem is an error as a client sees it. Package documents says what
//     an error means, and errors.go which status that is.
//
// A request is checked in this order: is the URL too long (414), are too many requests in
// progress (503), has its address sent too many (429), does the route exist (404, 405), is the
// credential valid (401), does the caller have the permission (403), has the client tried
// passwords too often (429), are the query and the body valid (400), does the document exist
// (404).
//
// Package edge handles connections, their deadlines and memory; package metrics handles counters
// and their formats. The package knows neither how content is stored nor how a query is
// answered, and writes to no file.
package server
