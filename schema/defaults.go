package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// readDefaults reads "defaults": {"api::a.a": {"populate": ..., "sort": ...}}.
// Only the shape is checked here: what the members may name is the business of
// whoever compiles a query.
func (l *loader) readDefaults() {
	for _, m := range l.config.object("defaults").members {
		if !l.typeExists(m) {
			continue
		}
		o, _ := m.object()
		o.only("populate", "sort", "fields", "pagination")
		parameters := map[string]json.RawMessage{}
		for _, p := range o.members {
			if checkParameter(p) {
				parameters[p.key] = slices.Clone(p.raw)
			}
		}
		l.site.Settings.Defaults[m.key] = parameters
	}
}

// parameterShapes are the JSON shapes of each parameter, by their first character.
var parameterShapes = map[string]struct{ starts, what string }{
	"populate":   {`"[{`, "a text, a list of texts or an object"},
	"sort":       {`"[{`, "a text, a list of texts or an object"},
	"fields":     {`"[`, "a text or a list of texts"},
	"pagination": {`{`, "an object"},
}

func checkParameter(p member) bool {
	shape, known := parameterShapes[p.key]
	switch {
	case !known: // reported already
		return false
	case !strings.Contains(shape.starts, string(p.raw[:1])):
		p.wanted(shape.what)
		return false
	case p.raw[0] == '[':
		p.words()
	case p.key == "pagination":
		checkPagination(p)
	}
	return true
}

func checkPagination(p member) {
	o, _ := p.object()
	o.only("page", "pageSize", "start", "limit", "withCount")
	o.whole("page", 1, 1)
	o.whole("pageSize", 1, 1)
	o.whole("start", 0, 0)
	o.whole("limit", 1, 1)
	o.flag("withCount", true)
	_, page := o.get("page")
	_, pageSize := o.get("pageSize")
	_, start := o.get("start")
	_, limit := o.get("limit")
	if (page || pageSize) && (start || limit) {
		p.refuse("page and start are two ways to page; they exclude each other", "use page and pageSize, or start and limit")
	}
}
