package settings

import (
	"fmt"

	"quire/schema/source"
)

// GraphQL has the settings of site.json under "graphql".
type GraphQL struct {
	Enabled       bool // POST and GET /graphql are served
	DepthLimit    int  // fields inside fields, 10
	DefaultLimit  int  // entries of a list if the query does not say, 10
	MaxLimit      int  // maximum of entries of a list; -1, the default, for none
	Introspection bool // clients may ask for the schema
}

func (g *GraphQL) show() []Shown {
	return []Shown{
		{Key: "graphql.enabled", Value: g.Enabled}, {Key: "graphql.depthLimit", Value: g.DepthLimit}, {Key: "graphql.defaultLimit", Value: g.DefaultLimit},
		{Key: "graphql.maxLimit", Value: g.MaxLimit}, {Key: "graphql.introspection", Value: g.Introspection},
	}
}

func defaultGraphQL() GraphQL {
	return GraphQL{DepthLimit: 10, DefaultLimit: 10, MaxLimit: -1, Introspection: true}
}

// mostDepth is the maximum of depthLimit.
const mostDepth = 50

// read reads "graphql": {"enabled": true, "depthLimit": 10, "defaultLimit": 10,
// "maxLimit": 100, "introspection": true}.
func (g *GraphQL) read(o source.Object) {
	o.Only("enabled", "depthLimit", "defaultLimit", "maxLimit", "introspection")
	g.Enabled = o.Flag("enabled", g.Enabled)
	g.DepthLimit = o.Whole("depthLimit", 1, g.DepthLimit)
	g.MaxLimit = o.Whole("maxLimit", -1, g.MaxLimit)
	g.DefaultLimit = o.Whole("defaultLimit", 1, g.DefaultLimit)
	g.Introspection = o.Flag("introspection", g.Introspection)
	if g.DepthLimit > mostDepth {
		o.RefuseAt("depthLimit", fmt.Sprintf("is more than %d", mostDepth), "lower it")
	}
	switch {
	case g.MaxLimit == 0:
		o.RefuseAt("maxLimit", "is 0", "set the maximum of entries of a list, or -1 for none")
	case g.MaxLimit > 0 && g.DefaultLimit > g.MaxLimit:
		o.RefuseAt("defaultLimit", fmt.Sprintf("%d is more than maxLimit %d", g.DefaultLimit, g.MaxLimit), "lower it or raise maxLimit")
	}
}
