package migrate

import "strings"

// replaceUID replaces the name of a type in a text such as a key or JSON. The uid of a
// content type is replaced wherever it stands alone, or before an action with a dot:
// nothing else looks like it. The uid of a component could be part of a user's text, so it
// is replaced only if it is a whole JSON string, or is between slashes.
func replaceUID(text, old, name string) string {
	var b strings.Builder
	done := 0
	for {
		i := strings.Index(text[done:], old)
		if i < 0 {
			return b.String() + text[done:]
		}
		begin, end := done+i, done+i+len(old)
		b.WriteString(text[done:begin])
		if standsAlone(text, begin, end, strings.Contains(old, "::")) {
			b.WriteString(name)
		} else {
			b.WriteString(old)
		}
		done = end
	}
}

// standsAlone reports whether a part of a text is a uid, and not a part of a longer word.
func standsAlone(text string, begin, end int, ofType bool) bool {
	before, after := byte('"'), byte('"')
	if begin > 0 {
		before = text[begin-1]
	}
	if end < len(text) {
		after = text[end]
	}
	if ofType {
		return !inUID(before) && before != ':' && !inUID(after)
	}
	return strings.IndexByte(`"/`, before) >= 0 && strings.IndexByte(`"/`, after) >= 0
}

func inUID(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
