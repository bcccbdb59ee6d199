// Package server speaks HTTP: it turns a request into calls of the rooms below
// and what they return into an answer. It holds no rule about content.
//
// Its nouns:
//
//   - A Route is a method and a path with the permission that it needs. The
//     table of routes follows from the schemas.
//   - An edition is one version of the site being served: its types, its data,
//     its routes. A reload replaces the edition in one step; requests that are
//     under way end on the one that they began with.
//   - An exchange is one request and its answer. It has an id, which its lines in
//     the log and its answer carry.
//   - Metrics count what a server does; each route has its meter.
//
// A request is checked in this order: does the route exist (404, 405), is the
// credential valid (401), does the caller hold the permission (403), has whoever
// it is tried too often (429), do the query and the body make sense (400), is the
// document there (404).
//
// The files named errors.go and …_errors.go are the only place that knows which
// error of the rooms below means which status.
package server
