package body

import "strings"

// shownLength is the maximum length of a refused value in a message.
const shownLength = 1000

// show prints a refused value as Strapi's messages do: the content of lists and objects is
// printed first and then quoted once more.
func (raw JSON) show() string {
	var out strings.Builder
	showInto(&out, raw, "\n")
	s := out.String()
	if len(s) > shownLength {
		s = strings.ToValidUTF8(s[:shownLength], "") + "…"
	}
	return s
}

func showInto(out *strings.Builder, raw JSON, indent string) {
	if out.Len() > shownLength {
		return
	}
	switch raw.shape() {
	case jsonList:
		var items []JSON
		for n, item := range raw.Elements() {
			if items = append(items, item); n == shownLength {
				break // the rest is not shown
			}
		}
		showList(out, "[]", len(items), indent, func(i int, indent string) { showInside(out, items[i], indent) })
	case jsonObject:
		list := raw.Members()
		showList(out, "{}", len(list), indent, func(i int, indent string) {
			out.Write(quote(list[i].Key))
			out.WriteString(": ")
			showInside(out, list[i].Value, indent)
		})
	default:
		out.WriteString(showSimple(raw))
	}
}

func showInside(out *strings.Builder, raw JSON, indent string) {
	if s := raw.shape(); s == jsonList || s == jsonObject {
		showInto(out, raw, indent)
		return
	}
	out.Write(quote(showSimple(raw)))
}

func showSimple(raw JSON) string {
	if raw.shape() == jsonString {
		return `"` + raw.text() + `"`
	}
	return string(raw)
}

func showList(out *strings.Builder, brackets string, n int, indent string, item func(i int, indent string)) {
	if n == 0 {
		out.WriteString(brackets)
		return
	}
	out.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(indent + "  ")
		item(i, indent+"  ")
	}
	out.WriteString(indent)
	out.WriteByte(brackets[1])
}
