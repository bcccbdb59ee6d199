package server

import (
	"net/http"

	"quire/auth"
	"quire/documents"
	"quire/schema"
	"quire/server/graphql"
)

// GraphQL: POST /graphql, and GET /graphql for queries. Package graphql reads and runs the
// operation; package documents decides what the caller sees and may do.

// graphqlRoutes are there if the site has switched GraphQL on. They are open: each field
// needs its own permission.
func graphqlRoutes(site *schema.Site) []Route {
	if !site.Settings.GraphQL.Enabled {
		return nil
	}
	const path = "/graphql"
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
	r, refusal := graphql.ReadRequest(body)
	return x.runGraphQL(r, refusal)
}

func getGraphQL(x *request) error {
	values := x.http.URL.Query()
	r := graphql.Request{Query: values.Get("query"), OperationName: values.Get("operationName")}
	if text := values.Get("variables"); text != "" {
		r.Variables = []byte(text)
	}
	return x.runGraphQL(r, nil)
}

// runGraphQL runs one operation and sends the response.
func (x *request) runGraphQL(r graphql.Request, refusal *graphql.Refusal) error {
	s := &x.site.schema.Settings.GraphQL
	limits := graphql.DefaultLimits()
	limits.ArgumentBytes = int(x.site.schema.Settings.Limits.BodyBytes)
	limits.Depth, limits.DefaultLimit, limits.MaxLimit, limits.Introspection = s.DepthLimit, s.DefaultLimit, s.MaxLimit, s.Introspection
	var o *graphql.Operation
	if refusal == nil {
		o, refusal = x.site.graphql.Prepare(r, limits)
	}
	x.Parsed()
	if refusal != nil {
		body, status := refusal.Response()
		x.json(status, body)
		return nil
	}
	if err := x.checkRates(len(o.Roots()) - 1); err != nil {
		return err
	}
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
	x.buffer = o.Run(x.http.Context(), &x.call, &graphqlHost{x}, x.scratch())
	if err := x.http.Context().Err(); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// graphqlHost serves what is not content through the routes of REST, with their
// permissions and limits.
type graphqlHost struct{ *request }

// Explain returns what an error is for the client, and logs a defect.
func (h *graphqlHost) Explain(err error) *documents.Problem {
	p := explain(err)
	if p == nil {
		p = h.server.report(h.id[0], err, nil)
	}
	h.setRetryAfter(err)
	return &documents.Problem{Name: p.Name, Message: p.Message, Details: p.Details}
}
