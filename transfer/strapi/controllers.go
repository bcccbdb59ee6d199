package strapi

import (
	"regexp"
	"slices"
	"strings"

	"quire/transfer/strapi/script"
)

var (
	controllerFile = regexp.MustCompile(`^src/api/([^/]+)/controllers/(.+)\.[cm]?[jt]s$`)
	extensionFile  = regexp.MustCompile(`^src/extensions/([a-z0-9-]+)/strapi-server[./]`)
)

// guard records that code in a file decides about an action.
func (r *reading) guard(uid, action, file string) {
	one := Guarded{uid, action, file}
	if !r.known[one] {
		r.known[one] = true
		r.guarded = append(r.guarded, one)
	}
}

// controller records the actions that a controller changes: all of them if its methods are
// not understood.
func (r *reading) controller(name string) {
	part := controllerFile.FindStringSubmatch(name)
	uid := "api::" + part[1] + "." + part[2]
	v, scope := script.Exported(r.parse(name))
	v = scope.Resolve(v)
	if v.Kind == script.Call && strings.HasSuffix(v.Text, "createCoreController") && len(v.Items) > 0 && typeUID.MatchString(v.Items[0].Text) {
		uid = v.Items[0].Text
		v = slices.Concat(v.Items[1:], []script.Value{{Kind: script.Object}})[0]
	}
	methods, known := methodsOf(v)
	for _, action := range coreActions {
		if !known || slices.Contains(methods, action) {
			r.guard(uid, action, name)
		}
	}
}

// extensions notes the plugins whose code the project changes: each of their actions may do
// something else.
func (r *reading) extensions() {
	for _, f := range r.p.found {
		if part := extensionFile.FindStringSubmatch(f.File); part != nil {
			r.guard("plugin::"+part[1], "", f.File)
		}
	}
}

// methodsOf returns the keys of an object, or of the result of a function that only returns
// one.
func methodsOf(v script.Value) (names []string, known bool) {
	if v.Kind == script.Function && len(v.Func.Body) == 1 && v.Func.Body[0].Kind == script.Return {
		v = v.Func.Body[0].Value
	}
	spread := slices.ContainsFunc(v.Items, func(v script.Value) bool { return v.Spread })
	return v.Keys, v.Kind == script.Object && !spread
}
