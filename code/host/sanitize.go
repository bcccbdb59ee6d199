package host

import (
	"cmp"
	"slices"
	"strings"

	"quire/query"
)

// A query is sanitized by taking out of it what the compiler refuses, one key after another.

// keyPlace is one place in a query where a key stands, and how to take it out.
type keyPlace struct {
	path string // of the key, with dots, as errors have it
	drop func()
}

// dropKey takes a refused key out of a query, where the error says, and reports whether it has
// found it. If the key stands at several places and the error does not say at which, none is
// taken out.
func dropKey(tree map[string]any, e *query.KeyError) bool {
	value, given := tree[e.Param]
	if !given {
		return false
	}
	var found []keyPlace
	find(value, func(changed any) { put(tree, e.Param, changed) }, "", e.Key, &found)
	if e.Param == "populate" && value == "*" || len(found) == 0 && value == e.Key {
		delete(tree, e.Param)
		return true
	}
	if len(found) > 1 {
		paths := []string{e.Path, cmp.Or(e.Path+"."+e.Key, e.Key)}
		found = slices.DeleteFunc(found, func(p keyPlace) bool { return !slices.Contains(paths, p.path) })
	}
	if len(found) == 0 {
		return false
	}
	found[0].drop()
	return true
}

// steps are the keys of a query that are no attributes, so that paths do not name them.
var steps = []string{"populate", "filters", "sort", "fields", "on"}

// find finds where a key stands below a value: as a member, or as a text in a list of names.
func find(value any, set func(any), path, key string, found *[]keyPlace) {
	switch value := value.(type) {
	case string:
		parts := strings.Split(value, ",")
		for i, part := range parts {
			name, _, _ := strings.Cut(strings.TrimSpace(part), ":")
			if name == key || strings.HasSuffix(name, "."+key) || strings.HasPrefix(name, key+".") || strings.Contains(name, "."+key+".") {
				*found = append(*found, keyPlace{join(path, name), func() { set(strings.Join(slices.Delete(slices.Clone(parts), i, i+1), ",")) }})
			}
		}
	case []any:
		for i := range value {
			find(value[i], func(changed any) {
				if changed == "" {
					set(slices.Delete(slices.Clone(value), i, i+1))
				} else {
					value[i] = changed
				}
			}, path, key, found)
		}
	case map[string]any:
		for name, inner := range value {
			at := path
			if !strings.HasPrefix(name, "$") && !slices.Contains(steps, name) {
				at = join(path, name)
			}
			if name == key {
				*found = append(*found, keyPlace{join(path, name), func() { delete(value, name) }})
				continue
			}
			find(inner, func(changed any) { put(value, name, changed) }, at, key, found)
		}
	}
}

// put changes a member; one of which nothing is left goes.
func put(object map[string]any, name string, changed any) {
	if list, isList := changed.([]any); changed == "" || isList && len(list) == 0 {
		delete(object, name)
		return
	}
	object[name] = changed
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
