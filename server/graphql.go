package server

import (
	"cmp"
	"net/http"
	"strings"

	"quire/auth"
	"quire/content/event"
	"quire/schema"
	"quire/server/graphql"
	"quire/server/live"
)

// GraphQL: POST /graphql, and GET /graphql for queries. Package graphql reads and runs the
// operation; package documents decides what the caller sees and may do.

// graphqlRoutes are there if the site has switched GraphQL on. They are open: each field
// needs its own permission.
func graphqlRoutes(site *schema.Site) []Route {
	if !site.Settings.GraphQL.Enabled {
		return nil
	}
	path := site.Settings.GraphQL.Endpoint
	return leniently([]Route{
		{Method: http.MethodPost, Path: path, Open: true, reads: true, handler: postGraphQL},
		{Method: http.MethodGet, Path: path, Open: true, handler: getGraphQL},
		{Method: http.MethodGet, Path: "/api/docs/graphql", Permission: auth.ReadDescription, handler: exploreGraphQL},
	})
}

// newGraphQL makes the schema of a site that has switched GraphQL on.
func newGraphQL(site *schema.Site) (*graphql.Schema, error) {
	if !site.Settings.GraphQL.Enabled {
		return nil, nil
	}
	return graphql.New(site)
}

func postGraphQL(x *request) error {
	kind, body, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return err
	}
	if kind != jsonBody {
		body = nil
	}
	return x.serveGraphQL(func(streams bool) (*graphql.Operation, *graphql.Refusal) {
		return x.site.graphql.PrepareBody(body, streams)
	})
}

func getGraphQL(x *request) error {
	return x.serveGraphQL(func(streams bool) (*graphql.Operation, *graphql.Refusal) {
		return x.site.graphql.PrepareQuery(x.http.URL.RawQuery, streams)
	})
}

// serveGraphQL checks one operation, and runs it.
func (x *request) serveGraphQL(prepare func(streams bool) (*graphql.Operation, *graphql.Refusal)) error {
	accept := strings.Join(x.http.Header["Accept"], ",")
	takes := strings.Contains(accept, eventStreamType)
	streams := takes && !strings.Contains(accept, "json") // all responses, also of queries
	o, refusal := prepare(takes)
	x.Parsed()
	if refusal != nil {
		body, status := refusal.Response()
		x.forbidCaching()
		x.answerGraphQL(status, body, streams)
		return nil
	}
	if err := x.checkRates(len(o.Roots()) - 1); err != nil {
		return err
	}
	if o.IsSubscription() {
		if len(x.site.codedReads) > 0 && !x.caller.Full() {
			return forbidden() // as for /api/_events
		}
		return x.subscribe(o)
	}
	return x.runGraphQL(o, streams)
}

// runGraphQL runs a query or a mutation and sends the response.
func (x *request) runGraphQL(o *graphql.Operation, streams bool) error {
	if o.IsMutation() {
		if x.http.Method != http.MethodPost {
			x.Header().Set("Allow", http.MethodPost)
			return methodNotAllowed()
		}
		if err := x.share.JoinWrites(); err != nil {
			return err
		}
		x.http = x.http.WithContext(x.asCaller())
		x.forbidCaching()
	}
	run := o.Start(&x.call, &graphqlHost{x})
	if !streams && x.unchangedReads(run) {
		return nil
	}
	x.buffer = run.Append(x.http.Context(), x.scratch())
	if err := x.http.Context().Err(); err != nil {
		return err
	}
	if run.Failed() {
		x.dropTag()
	}
	x.answerGraphQL(http.StatusOK, x.buffer, streams)
	return nil
}

// unchangedReads is unchanged for a query of content: its response depends on all its reads.
// How long it may be cached is up to the type that allows the least.
func (x *request) unchangedReads(run *graphql.Run) bool {
	reads, whole := run.Reads()
	if !whole || x.http.Method == http.MethodPost {
		return false
	}
	last, least, period := reads[0].LastChange(), reads[0].Type(), reads[0].Period()
	for _, r := range reads[1:] {
		period = cmp.Or(period, r.Period())
		if c := r.LastChange(); c.Revision > last.Revision {
			last = c
		}
		if ages := x.site.schema.Settings.Cache; ages[r.Type().UID] < ages[least.UID] {
			least = r.Type()
		}
	}
	if period != "" {
		least = nil // as in unchanged
	}
	return x.matchesTag(tagOf(nil, x.tagKey(nil, last, period)), least)
}

const eventStreamType = "text/event-stream"

// answerGraphQL sends a response: as JSON or, to a client that takes nothing else, as a stream
// of events that ends after it.
func (x *request) answerGraphQL(status int, body []byte, streams bool) {
	if !streams {
		x.json(status, body)
		return
	}
	x.dropTag()
	x.Header()["Content-Type"] = eventStream
	x.send(http.StatusOK, graphql.Stream(body, nil))
}

// subscribe answers with a stream of events, in the form of graphql-sse.
func (x *request) subscribe(o *graphql.Operation) error {
	host := &graphqlHost{x}
	var refused error
	err := x.stream(func() (*live.Subscription, *event.Position, error) {
		since, err := x.since(nil)
		if err != nil {
			return nil, nil, err
		}
		q, err := o.Subscribe(&x.call, x.site.heavyCost())
		refused = err
		return q, since, err
	}, nil)
	if refused == nil {
		return err
	}
	body, status := o.Refuse(refused, host).Response()
	x.answerGraphQL(status, body, true)
	return nil
}
