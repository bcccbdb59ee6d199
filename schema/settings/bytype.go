package settings

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"quire/schema/source"
)

// Types are the content types that roles, defaults, cache, search, webhooks and hooks name.
type Types struct {
	Exists  func(source.Member) bool // whether the key is the uid of a content type; must report one that is not
	Actions []string                 // that a role may be allowed on a content type
	Coded   func(uid string) bool    // whether the project has controllers or routes of its own for a uid
}

// ReadByType reads the parts of site.json that name content types: roles, defaults, cache,
// search, webhooks and hooks. It adds what is not valid to the problems of config.
func (s *Settings) ReadByType(config source.Object, known Types) {
	for _, role := range config.Object("roles").Members {
		checkRoleType(role.Value, role.Key)
		uids, _ := role.Object()
		s.Roles[role.Key] = known.readPermissions(uids)
	}
	for _, m := range config.Object("defaults").Members {
		if known.Exists(m) {
			s.Defaults[m.Key] = readParameters(m)
		}
	}
	for _, m := range config.Object("cache").Members {
		if known.Exists(m) {
			s.readCache(m)
		}
	}
	s.readSearch(config, known)
	s.readWebhooks(config, known)
	s.readHooks(config, known)
}

// RolePermissions maps a uid to the actions allowed on it. The uid is that of a
// content type or of a plugin's own endpoints, "plugin::users-permissions.auth".
type RolePermissions map[string][]string

var (
	pluginUID = regexp.MustCompile(`^plugin::[a-z0-9-]+\.[a-z0-9-]+$`)
	roleType  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{2,}$`)
	pluginAct = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
)

// checkRoleType reports a name that cannot be the type of a role. Strapi requires at least
// three characters in the name of a role.
func checkRoleType(v source.Value, name string) {
	if !roleType.MatchString(name) {
		v.Refuse(fmt.Sprintf("%q cannot be the type of a role", name), "use three or more lower-case letters, digits, - and _")
	}
}

// readPermissions reads the permissions of a role: {"api::a.a": ["find"]}.
func (known Types) readPermissions(uids source.Object) RolePermissions {
	permissions := RolePermissions{}
	for _, m := range uids.Members {
		permissions[m.Key] = known.readActions(m)
	}
	return permissions
}

// readActions reads the actions on one uid. Those on content types are known; endpoints of
// plugins and of the project's code have names of their own.
func (known Types) readActions(m source.Member) []string {
	plugin := pluginUID.MatchString(m.Key) || known.Coded != nil && known.Coded(m.Key) // with names of its own
	if !plugin && !known.Exists(m) {
		return nil
	}
	var actions []string
	for _, w := range m.Words() {
		switch {
		case plugin && !pluginAct.MatchString(w.Text):
			w.Refuse(fmt.Sprintf("%q cannot be the name of an action", w.Text), "use letters and digits")
		case !plugin && !slices.Contains(known.Actions, w.Text):
			w.Refuse(fmt.Sprintf("%q is not an action on a content type", w.Text), "use "+strings.Join(known.Actions, ", "))
		default:
			actions = append(actions, w.Text)
		}
	}
	return actions
}

// ReadActions are the actions that can have their own parameters in the defaults of a type:
// reads of lists and single types, and of one document of a collection.
var ReadActions = []string{"find", "findOne"}

// readParameters reads the defaults of a type: {"populate": ..., "sort": ..., "findOne":
// {"populate": ...}}. It checks only their shape: the names are checked where a query is
// compiled.
func readParameters(m source.Member) map[string]json.RawMessage {
	o, _ := m.Object()
	o.Only("populate", "sort", "fields", "pagination", "find", "findOne")
	parameters := map[string]json.RawMessage{}
	for _, p := range o.Members {
		if checkParameter(p) {
			parameters[p.Key] = slices.Clone(p.Raw)
		}
	}
	return parameters
}

// parameterShapes are the JSON shapes of each parameter, by their first character.
var parameterShapes = map[string]struct{ starts, what string }{
	"populate":   {`"[{`, "a text, a list of texts or an object"},
	"sort":       {`"[{`, "a text, a list of texts or an object"},
	"fields":     {`"[`, "a text or a list of texts"},
	"pagination": {`{`, "an object"},
	"find":       {`{`, "an object"},
	"findOne":    {`{`, "an object"},
}

func checkParameter(p source.Member) bool {
	shape, known := parameterShapes[p.Key]
	switch {
	case !known: // reported already
		return false
	case !strings.Contains(shape.starts, string(p.Raw[:1])):
		p.RefuseShape(shape.what)
		return false
	case p.Raw[0] == '[':
		p.Words()
	case p.Key == "pagination":
		checkPagination(p)
	case slices.Contains(ReadActions, p.Key):
		o, _ := p.Object()
		o.Only("populate", "sort", "fields", "pagination")
		for _, below := range o.Members {
			if !slices.Contains(ReadActions, below.Key) {
				checkParameter(below)
			}
		}
	}
	return true
}

func checkPagination(p source.Member) {
	o, _ := p.Object()
	o.Only("page", "pageSize", "start", "limit", "withCount")
	o.Whole("page", 1, 1)
	o.Whole("pageSize", 1, 1)
	o.Whole("start", 0, 0)
	o.Whole("limit", 1, 1)
	o.Flag("withCount", true)
	_, page := o.Get("page")
	_, pageSize := o.Get("pageSize")
	_, start := o.Get("start")
	_, limit := o.Get("limit")
	if (page || pageSize) && (start || limit) {
		p.Refuse("page and start are two ways to page; they exclude each other", "use page and pageSize, or start and limit")
	}
}

// longestAge is the largest maxAge that HTTP recommends, a year in seconds.
const longestAge = 365 * 24 * 60 * 60

// readCache reads the setting of a type: {"maxAge": 60}.
func (s *Settings) readCache(m source.Member) {
	o, _ := m.Object()
	o.Only("maxAge")
	seconds := o.Whole("maxAge", 0, 0)
	if seconds > longestAge {
		o.RefuseAt("maxAge", "is longer than a year", "lower it; it is in seconds")
	}
	if seconds == 0 {
		return
	}
	if s.Cache == nil {
		s.Cache = map[string]time.Duration{}
	}
	s.Cache[m.Key] = time.Duration(seconds) * time.Second
}
