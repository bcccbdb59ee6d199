package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// CheckDefaults returns why defaults of types are not valid queries, by the uid of the
// type.
func CheckDefaults(site *schema.Site) map[string]error {
	wrong := map[string]error{}
	compiler := query.NewCompiler(site)
	for t := range site.Served() {
		if _, err := defaultOf(site, compiler, t); err != nil {
			wrong[t.UID] = err
		}
	}
	return wrong
}

// everyone may do everything: defaults are checked only against the schemas.
type everyone struct{ schema.Unlimited }

func (everyone) Allows(*schema.Type, schema.Action) bool { return true }

// readDefaults turns the "defaults" of site.json into parameters.
func readDefaults(site *schema.Site, c *query.Compiler) (map[*schema.Type]typeDefaults, error) {
	defaults := map[*schema.Type]typeDefaults{}
	for t := range site.Served() {
		node, err := defaultOf(site, c, t)
		if err != nil {
			return nil, err
		}
		defaults[t] = node
	}
	return defaults, nil
}

// typeDefaults are the defaults of one type; nil for none.
type typeDefaults struct {
	list *params.Node // for lists and single types
	one  *params.Node // for one document; of a collection, those of findOne
}

// defaultOf reads the defaults of one type and checks that they are valid queries.
func defaultOf(site *schema.Site, c *query.Compiler, t *schema.Type) (d typeDefaults, err error) {
	if err := c.CheckSearch(t, site.Settings.Search.Types[t.UID]); err != nil {
		return d, fmt.Errorf("search of %s: %w", t.UID, err)
	}
	members := site.Settings.Defaults[t.UID]
	if members == nil {
		return d, nil
	}
	if d.list, err = defaultFor("find", members, site, c, t); err == nil {
		d.one, err = defaultFor("findOne", members, site, c, t)
	}
	if err != nil {
		return d, fmt.Errorf("defaults of %s: %w", t.UID, err)
	}
	if t.Kind == schema.Single {
		d.one = d.list
	}
	return d, nil
}

// defaultFor returns the defaults of one action: those for both actions, overridden by its
// own.
func defaultFor(action string, members map[string]json.RawMessage, site *schema.Site, c *query.Compiler, t *schema.Type) (*params.Node, error) {
	both := maps.Clone(members)
	for _, one := range settings.ReadActions {
		delete(both, one)
	}
	if own := members[action]; own != nil {
		if err := json.Unmarshal(own, &both); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(both)
	if err != nil {
		return nil, err
	}
	node, err := params.FromJSON(text, queryLimits(site))
	if err == nil {
		_, err = c.Compile(t, node, everyone{}, query.Options{})
	}
	return node, err
}

func queryLimits(site *schema.Site) params.Limits {
	return params.Limits{Depth: site.Settings.Limits.Depth}
}

// Limits returns the limits of the parameters of a query.
func (s *Service) Limits() params.Limits { return queryLimits(s.Site) }

// WithDefaults adds the missing parameters to a read. It never replaces a parameter of the
// request; those of pagination are added one by one.
func WithDefaults(given, defaults *params.Node) *params.Node {
	if defaults == nil {
		return given
	}
	if given == nil {
		return defaults
	}
	both := &params.Node{Kind: params.Object, Keys: slices.Clone(given.Keys), Items: slices.Clone(given.Items)}
	for i, key := range defaults.Keys {
		at := slices.Index(both.Keys, key)
		switch {
		case at < 0:
			both.Keys, both.Items = append(both.Keys, key), append(both.Items, defaults.Items[i])
		case key == "pagination":
			both.Items[at] = withPagination(both.Items[at], defaults.Items[i])
		}
	}
	return both
}

// withPagination adds the missing parts of a pagination, unless the request counts by
// offset and the default by page, or the reverse. A request with a cursor gets no page or
// start.
func withPagination(given, defaults *params.Node) *params.Node {
	if given.Get("after") != nil {
		defaults = defaults.Without("page", "start")
	}
	if !given.IsObject() || byOffset(given) && byPage(defaults) || byPage(given) && byOffset(defaults) {
		return given
	}
	return WithDefaults(given, defaults)
}

func byPage(n *params.Node) bool   { return n.Get("page") != nil || n.Get("pageSize") != nil }
func byOffset(n *params.Node) bool { return n.Get("start") != nil || n.Get("limit") != nil }
