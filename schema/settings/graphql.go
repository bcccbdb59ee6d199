package settings

import (
	"fmt"
	"regexp"
	"strings"

	"quire/schema/source"
)

// GraphQL has the settings of site.json under "graphql".
type GraphQL struct {
	Enabled       bool   // it is served
	Endpoint      string // the path, /graphql
	DepthLimit    int    // fields inside fields, 10
	DefaultLimit  int    // entries of a list if the query does not say, 10
	MaxLimit      int    // maximum of entries of a list; -1, the default, for none
	AmountLimit   int    // the same, under its other name in Strapi
	Introspection bool   // clients may ask for the schema
}

func (g *GraphQL) show() []Shown {
	return []Shown{
		{Key: "graphql.enabled", Value: g.Enabled}, {Key: "graphql.endpoint", Value: g.Endpoint}, {Key: "graphql.depthLimit", Value: g.DepthLimit}, {Key: "graphql.defaultLimit", Value: g.DefaultLimit},
		{Key: "graphql.maxLimit", Value: g.MaxLimit}, {Key: "graphql.amountLimit", Value: g.AmountLimit}, {Key: "graphql.introspection", Value: g.Introspection},
	}
}

// mostDepth is the maximum of depthLimit.
const mostDepth = 50

// endpointForm is the form of a path that is not one of the admin or of files.
var endpointForm = regexp.MustCompile(`^(/[A-Za-z0-9_-]+)+$`)

// read reads "graphql": {"enabled": true, "endpoint": "/graphql", "depthLimit": 10,
// "defaultLimit": 10, "maxLimit": 100, "amountLimit": 100, "introspection": true}.
func (g *GraphQL) read(o source.Object) {
	o.Only("enabled", "endpoint", "depthLimit", "defaultLimit", "maxLimit", "amountLimit", "introspection")
	g.Enabled = o.Flag("enabled", g.Enabled)
	g.DepthLimit = o.Whole("depthLimit", 1, g.DepthLimit)
	g.MaxLimit = o.Whole("maxLimit", -1, g.MaxLimit)
	g.AmountLimit = o.Whole("amountLimit", -1, g.AmountLimit)
	g.DefaultLimit = o.Whole("defaultLimit", 1, g.DefaultLimit)
	g.readEndpoint(o)
	g.Introspection = o.Flag("introspection", g.Introspection)
	if g.DepthLimit > mostDepth {
		o.RefuseAt("depthLimit", fmt.Sprintf("is more than %d", mostDepth), "lower it")
	}
	for _, key := range []string{"maxLimit", "amountLimit"} {
		_, given := o.Get("defaultLimit")
		switch most := o.Whole(key, -1, -1); {
		case most == 0:
			o.RefuseAt(key, "is 0", "set the maximum of entries of a list, or -1 for none")
		case most > 0 && given && g.DefaultLimit > most:
			o.RefuseAt("defaultLimit", fmt.Sprintf("%d is more than %s %d", g.DefaultLimit, key, most), "lower it or raise "+key)
		}
	}
}

func (g *GraphQL) readEndpoint(o source.Object) {
	if _, given := o.Get("endpoint"); !given {
		return
	}
	g.Endpoint = o.Text("endpoint")
	first, _, _ := strings.Cut(strings.TrimPrefix(g.Endpoint, "/"), "/")
	if !endpointForm.MatchString(g.Endpoint) || first == "admin" || first == "uploads" {
		o.RefuseAt("endpoint", fmt.Sprintf("%.100q cannot be the path of GraphQL", g.Endpoint), `name a path such as "/graphql", outside /admin and /uploads`)
	}
}

// Most returns the maximum of entries of a list; -1 for none.
func (g *GraphQL) Most() int {
	if g.MaxLimit < 0 || g.AmountLimit > 0 && g.AmountLimit < g.MaxLimit {
		return g.AmountLimit
	}
	return g.MaxLimit
}
