// Package metrics counts what a server does, and reports it: to Prometheus in the format that
// it requests, and to people in a few figures.
//
// Its nouns:
//
//   - Metrics is everything that is counted. It lives as long as the program, and longer than
//     the versions of the site.
//   - A Meter counts the requests of one route. Metrics makes it once and then returns the same
//     one.
//   - Sources are values that are not counted but read each time: the current state of the
//     server.
//   - A Summary is the metrics since the start, in a few figures.
//
// No label comes from a client, so that clients cannot create series: routes are labelled with
// their pattern in the table of routes, and everything else is one route.
//
// The package knows no routes and no content, and of HTTP only how to answer one request with
// the metrics.
package metrics
