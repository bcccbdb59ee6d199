package strapi

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"quire/transfer/strapi/script"
)

var (
	routesFile = regexp.MustCompile(`^src/api/[^/]+/routes/`)
	typeUID    = regexp.MustCompile(`^api::([a-zA-Z0-9_-]+)\.([a-zA-Z0-9_-]+)$`)
)

// coreActions are the actions for which Strapi makes routes.
var coreActions = []string{"find", "findOne", "create", "update", "delete"}

// router reads a file that makes the routes of a content type: which parameters its
// middlewares set, and which routes it leaves out.
func (r *reading) router(name string, middlewares map[string]*middleware) {
	file := r.parse(name)
	v, scope := script.Exported(file)
	v = scope.Resolve(v)
	if v.Kind != script.Call || !strings.HasSuffix(v.Text, "createCoreRouter") || len(v.Items) == 0 || !typeUID.MatchString(v.Items[0].Text) {
		r.left(name, "it adds routes")
		return
	}
	c := &coreRouter{reading: r, file: name, uid: v.Items[0].Text, middlewares: middlewares}
	options := script.Value{Kind: script.Object}
	if len(v.Items) > 1 {
		options = v.Items[1]
	}
	c.whole = slices.IndexFunc(file, func(s script.Statement) bool { return s.Kind == script.Other }) < 0
	c.routes(options)
	c.defaults(options)
	r.understood[name] = c.whole
	if !c.whole {
		r.left(name, "it has more than middlewares that set parameters of the query")
	}
}

// coreRouter is a call of createCoreRouter.
type coreRouter struct {
	*reading
	file, uid   string
	middlewares map[string]*middleware
	whole       bool // everything was understood
}

// routes records the routes that are left out, and what else the router sets.
func (c *coreRouter) routes(options script.Value) {
	for i, key := range options.Keys {
		switch {
		case key == "only", key == "except":
		case key != "config" || options.Items[i].Kind != script.Object:
			c.whole = false
		}
	}
	if options.Kind != script.Object {
		c.whole = false
		return
	}
	only, except := options.At("only"), options.At("except")
	kept, known := c.actions(only)
	dropped, alsoKnown := c.actions(except)
	for _, action := range coreActions {
		out := only.Kind != script.Undefined && !slices.Contains(kept, action) || slices.Contains(dropped, action)
		if out || !known || !alsoKnown {
			c.whole = false
			c.left(c.file, "it leaves out routes")
			c.guard(c.uid, action, c.file)
		}
	}
}

// actions reads a list of actions. known is false for anything but a list of texts: any of
// them may be in it.
func (c *coreRouter) actions(v script.Value) (list []string, known bool) {
	known = v.Kind == script.List || v.Kind == script.Undefined
	for _, item := range v.Items {
		known = known && item.Kind == script.Text
		list = append(list, item.Text)
	}
	c.whole = c.whole && known
	return list, known
}

// defaults records the parameters that middlewares set for find and findOne: once for both
// if they are the same.
func (c *coreRouter) defaults(options script.Value) {
	config := options.At("config")
	for _, action := range config.Keys {
		if action != "find" && action != "findOne" {
			c.whole = false
			c.guard(c.uid, action, c.file)
		}
	}
	find, filesOfFind := c.parametersOf("find", config)
	one, filesOfOne := c.parametersOf("findOne", config)
	if same(find, one) || c.p.isSingle(c.uid) {
		c.note(find, append(filesOfFind, filesOfOne...))
		return
	}
	c.note(find, filesOfFind, "find")
	c.note(one, filesOfOne, "findOne")
}

// note records parameters of a type, for one action or for both.
func (c *coreRouter) note(sets []parameter, files []string, action ...string) {
	for _, s := range sets {
		path := append(append([]string{"defaults", c.uid}, action...), s.name)
		c.settings = append(c.settings, Setting{Path: path, Value: s.value, Files: append([]string{c.file}, files...)})
	}
}

// parametersOf returns the parameters that the middlewares of a route set, one after
// another, and the files of these. A route with anything else is guarded.
func (c *coreRouter) parametersOf(action string, config script.Value) (sets []parameter, files []string) {
	route := config.At(action)
	list := route.At("middlewares")
	plain := config.Kind == script.Undefined || config.Kind == script.Object
	plain = plain && (route.Kind == script.Undefined || route.Kind == script.Object)
	plain = plain && (list.Kind == script.Undefined || list.Kind == script.List)
	for i, key := range route.Keys {
		empty := route.Items[i].Kind == script.List && len(route.Items[i].Items) == 0
		plain = plain && (key == "middlewares" || key == "policies" && empty)
	}
	for _, item := range list.Items {
		m := c.middlewares[item.Text]
		if item.Kind != script.Text || m == nil || !c.understood[m.file] {
			plain = false
			continue
		}
		m.used = true
		files = append(files, m.file)
		sets = followedBy(sets, m.sets)
	}
	if !plain {
		c.whole = false
		c.guard(c.uid, action, c.file)
	}
	return sets, files
}

// followedBy returns the parameters after others have been set.
func followedBy(sets, more []parameter) []parameter {
	for _, s := range more {
		at := slices.IndexFunc(sets, func(p parameter) bool { return p.name == s.name })
		switch {
		case at < 0:
			sets = append(sets, s)
		case !s.unless:
			sets[at] = s
		}
	}
	return sets
}

func same(a, b []parameter) bool {
	return slices.EqualFunc(a, b, func(a, b parameter) bool { return a.name == b.name && string(a.value) == string(b.value) })
}

// isSingle reports whether a content type is a single type.
func (p *project) isSingle(uid string) bool {
	part := typeUID.FindStringSubmatch(uid)
	text, err := p.read("src/api/"+part[1]+"/content-types/"+part[2]+"/schema.json", maxManifest)
	var schema struct {
		Kind string `json:"kind"`
	}
	return err == nil && json.Unmarshal([]byte(text), &schema) == nil && schema.Kind == "singleType"
}
