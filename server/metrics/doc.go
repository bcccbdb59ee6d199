// Package metrics counts what a server does, and reports it: to Prometheus in the
// format that it asks for, and to people in few numbers.
//
// Its nouns:
//
//   - Metrics is all that is counted. It lives as long as the program, and outlives
//     the versions of the site that are served.
//   - A Meter counts the requests of one route. Metrics makes it once and returns the
//     same one from then on.
//   - Sources are what is not counted but asked for each time the metrics are read:
//     what the server holds at the moment.
//   - A Summary is the metrics since the start, in few numbers.
//
// No label comes from a client, so that clients cannot make series: routes go by
// their pattern in the table of routes, and all that is in no table is one route.
//
// The package knows no route, no content and nothing of HTTP but how to answer one
// request with the metrics.
package metrics
