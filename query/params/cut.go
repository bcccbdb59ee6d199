package params

import "strings"

// Cut removes a parameter from a query string, so that nothing that reads the rest sees its
// value. found reports whether it is there, by Parse's rules. It must occur once and have a
// plain value; otherwise the error is a *ParamError, which does not repeat the value.
func Cut(raw, name string) (rest, value string, found bool, err error) {
	if !mayContain(raw, name) {
		return raw, "", false, nil
	}
	var others []string
	for part := range strings.SplitSeq(raw, "&") {
		rawKey, rawValue, hasValue := cutParam(decodeBrackets(part))
		key, _ := unescape(rawKey)
		if firstStep(key) != name {
			others = append(others, part)
			continue
		}
		text, valid := unescape(rawValue)
		if found || key != name || !hasValue || !valid {
			err = refuseKey(name, "%s must stand in the URL once, with one value")
		}
		value, found = text, true
	}
	return strings.Join(others, "&"), value, found, err
}

// firstStep returns the name of the parameter that a key belongs to: "a" in a[b] and in
// [a].
func firstStep(key string) string {
	if open := strings.IndexByte(key, '['); open != 0 {
		name, _, _ := strings.Cut(key, "[")
		return name
	}
	path, _ := readPath(nil, key, DefaultLimits())
	if len(path) == 0 {
		return ""
	}
	return path[0].name
}

// mayContain reports whether a part of a query string begins with a name, in any encoding, or
// with a bracket. It runs for every request, and allocates nothing.
func mayContain(raw, name string) bool {
	for len(raw) > 0 {
		var part string
		if part, raw, _ = strings.Cut(raw, "&"); beginsWith(part, name) || beginsWith(part, "[") {
			return true
		}
	}
	return false
}

func beginsWith(part, name string) bool {
	for i := range len(name) {
		if part == "" {
			return false
		}
		c, size := part[0], 1
		if plain, ok := escapeAt(part); ok && c == '%' {
			c, size = plain, 3
		}
		if c != name[i] {
			return false
		}
		part = part[size:]
	}
	return true
}
