// Package server speaks HTTP: it turns a request into calls of the packages below
// and what they return into an answer. It holds no rule about content.
//
// Its nouns:
//
//   - A Server lives as long as the program, across versions of the site.
//   - An edition is one version of the site being served: its types, its data,
//     its routes. A reload replaces the edition in one step; requests that are
//     under way end on the one that they began with.
//   - A Route is a method and a path with the permission that it needs. The
//     table of routes follows from the schemas.
//   - An exchange is one request and its answer. It has an id, which its lines in
//     the log and its answer carry.
//   - A problem is an error as a client sees it. errors.go and account_errors.go are
//     the only files that know which error of the packages below is which problem.
//
// A request is checked in this order: is the URL too long (414), are too many requests
// under way (503), has its address sent too many (429), does the route exist (404,
// 405), is the credential valid (401), does the caller hold the permission (403), has
// the client tried passwords too often (429), do the query and the body make sense
// (400), is the document there (404).
//
// Connections, their deadlines and memory are the business of edge, counters and their
// formats that of metrics. The package knows neither how content is stored nor how a
// query is answered, and writes to no file.
package server
