package settings

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema/source"
)

// HomePart is a part of the first screen of the admin. Which members it may have besides Kind
// and Wide depends on its kind.
type HomePart struct {
	Kind  string `json:"kind"`            // "drafts", "recent", "reviews", "scheduled", "count", "chart" or "note"
	Wide  bool   `json:"wide,omitempty"`  // as wide as the screen, not half of it
	Title string `json:"title,omitempty"` // empty for the usual one
	Text  string `json:"text,omitempty"`  // of a note, in lines
	Type  string `json:"type,omitempty"`  // the uid of a content type with a list
	By    string `json:"by,omitempty"`    // the attribute by whose values a chart counts, or a path to it; ".month" after a date counts by month
	Query string `json:"query,omitempty"` // which entries count: what follows "?" in the address of their list in the admin; empty for all
}

// homeKinds has the members that each kind of part needs, and those that it may have.
var homeKinds = map[string]struct{ needed, allowed []string }{
	"drafts": {}, "recent": {}, "reviews": {}, "scheduled": {},
	"count": {[]string{"type"}, []string{"title", "query"}},
	"chart": {[]string{"type", "by"}, []string{"title", "query"}},
	"note":  {[]string{"text"}, []string{"title"}},
}

// Limits of the first screen.
const (
	MostHomeParts = 20
	longestLine   = 255  // bytes of a title, uid or path
	longestText   = 2000 // bytes of a note or query
)

// Check returns the first member that is wrong and why, or "".
func (p *HomePart) Check() (member, message string) {
	kind, ok := homeKinds[p.Kind]
	if !ok {
		return "kind", `kind is "drafts", "recent", "reviews", "scheduled", "count", "chart" or "note"`
	}
	for _, m := range []struct {
		name, text string
		most       int
	}{{"title", p.Title, longestLine}, {"text", p.Text, longestText}, {"type", p.Type, longestLine}, {"by", p.By, longestLine}, {"query", p.Query, longestText}} {
		needed := slices.Contains(kind.needed, m.name)
		switch {
		case needed && strings.TrimSpace(m.text) == "":
			return m.name, fmt.Sprintf("a part of the kind %q needs %s", p.Kind, m.name)
		case !needed && m.text != "" && !slices.Contains(kind.allowed, m.name):
			return m.name, fmt.Sprintf("a part of the kind %q has no %s", p.Kind, m.name)
		case len(m.text) > m.most:
			return m.name, fmt.Sprintf("%s has more than %d bytes", m.name, m.most)
		}
	}
	return "", ""
}

// ReadHomes reads "admin": {"home": {"editor": [{"kind": "drafts"}, ...]}}. isListed reports
// whether a uid is that of a type with a list.
func (s *Settings) ReadHomes(config source.Object, isListed func(uid string) bool) {
	for _, m := range config.Object("admin").Object("home").Members {
		items, _ := m.List()
		if len(items) > MostHomeParts {
			m.Refuse(fmt.Sprintf("the first screen has %d parts", len(items)), fmt.Sprintf("write at most %d", MostHomeParts))
			continue
		}
		parts := []HomePart{}
		for _, item := range items {
			if p, ok := readHomePart(item, isListed); ok {
				parts = append(parts, p)
			}
		}
		if s.Admin.Homes == nil {
			s.Admin.Homes = map[string][]HomePart{}
		}
		s.Admin.Homes[m.Key] = parts
	}
}

func readHomePart(item source.Value, isListed func(uid string) bool) (p HomePart, ok bool) {
	o, ok := item.Object()
	if !ok {
		return p, false
	}
	o.Only("kind", "wide", "title", "text", "type", "by", "query")
	p = HomePart{Kind: o.Text("kind"), Wide: o.Flag("wide", false), Title: o.Text("title"), Text: o.Text("text"), Type: o.Text("type"), By: o.Text("by"), Query: o.Text("query")}
	if member, message := p.Check(); member != "" {
		o.RefuseAt(member, message, "docs/admin.md says what each kind of part has")
		return p, false
	}
	if p.Type != "" && !isListed(p.Type) {
		o.RefuseAt("type", fmt.Sprintf("%.100q is not the uid of a collection type", p.Type), "write the uid of a type that has a list, such as api::restaurant.restaurant")
		return p, false
	}
	return p, true
}
