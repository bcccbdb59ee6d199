package params

import "strings"

// Cut takes a parameter out of a query string, so that nothing that reads the rest sees
// its value. found reports whether it is there, by Parse's rules. It must be there once
// and have a plain value; otherwise the error is a *ParamError, which does not repeat the
// value.
func Cut(raw, name string) (rest, value string, found bool, err error) {
	if !mayHold(raw, name) {
		return raw, "", false, nil
	}
	var others []string
	for part := range strings.SplitSeq(raw, "&") {
		rawKey, rawValue, hasValue := cutParam(decodeBrackets(part))
		key, _ := unescape(rawKey)
		inside, ok := strings.CutPrefix(key, name)
		if !ok || inside != "" && inside[0] != '[' {
			others = append(others, part)
			continue
		}
		text, valid := unescape(rawValue)
		if found || inside != "" || !hasValue || !valid {
			err = refuseKey(name, "%s must stand in the URL once, with one value")
		}
		value, found = text, true
	}
	return strings.Join(others, "&"), value, found, err
}

// mayHold reports whether a part of a query string begins with a name, in whatever
// spelling. It is asked of every request, and allocates nothing.
func mayHold(raw, name string) bool {
	for len(raw) > 0 {
		var part string
		if part, raw, _ = strings.Cut(raw, "&"); beginsWith(part, name) {
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
