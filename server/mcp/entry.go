package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/content/body"
	"quire/schema"
)

// Limits of single texts, in bytes.
const (
	textInList = 200
	textInOne  = 2000
)

// entryForm says how entries are shown.
type entryForm struct {
	site      *schema.Site
	requested string // the fields and populate of the request; system attributes are shown if they are named there
	text      int    // bytes of a text before it is cut
	ids       bool   // whether components have their ids
}

// form shows entries with texts of up to so many bytes.
func (r *Request) form(text int) *entryForm { return &entryForm{site: r.server.site, text: text} }

// systemKeys are members of entries that are shown only if they were requested.
var systemKeys = []string{"createdAt", "updatedAt", "publishedAt", "locale", "localizations"}

// fileKeys are the members of a file that are shown.
var fileKeys = []string{"id", "name", "alternativeText", "caption", "width", "height", "mime", "url"}

// shows reports whether a member of an entry is shown. t is its type; nil if it is unknown.
func (s *entryForm) shows(t *schema.Type, key string) bool {
	switch {
	case t != nil && t.UID == schema.FileUID:
		return slices.Contains(fileKeys, key)
	case key == "id":
		return t != nil && t.IsComponent() && s.ids
	case key == "state", key == "__state":
		return t == nil || t.StateKey() != key
	case slices.Contains(systemKeys, key):
		return strings.Contains(s.requested, `"`+key+`"`)
	}
	return true
}

// show returns a value of an entry: without what was not requested, without empty members, and
// with long texts cut. t is the type of the objects in it; nil if it is unknown.
func (s *entryForm) show(t *schema.Type, v body.JSON) body.JSON {
	switch {
	case len(v) == 0:
		return body.JSON("null")
	case v.IsObject():
		t = typeIn(s.site, t, v)
		return withMembers(v, func(m body.Member) body.JSON {
			if m.Value.IsNull() || string(m.Value) == "[]" || !s.shows(t, m.Key) {
				return nil
			}
			return s.show(inside(t, m.Key), shownBlocks(t, m.Key, m.Value))
		})
	case v.IsList():
		return withElements(v, func(element body.JSON) body.JSON { return s.show(t, element) })
	case len(v) <= s.text:
		return v
	}
	text, isText := v.Text()
	if !isText || len(text) <= s.text {
		return v
	}
	shown := cutBytes(text, s.text)
	return quoted(fmt.Sprintf("%s…(+%d characters; get with from=%d)", shown, utf8.RuneCountInString(text[len(shown):]), utf8.RuneCountInString(shown)))
}

// typeIn returns the type of an object: the one that it names, in a dynamic zone or a relation
// to any type, or otherwise t.
func typeIn(site *schema.Site, t *schema.Type, object body.JSON) *schema.Type {
	for _, m := range object.Members() {
		if m.Key == "__component" || m.Key == "__type" {
			uid, _ := m.Value.Text()
			if named := site.Type(uid); named != nil {
				return named
			}
		}
	}
	return t
}

// inside returns the type of the objects in a member of an object; nil if it is unknown.
func inside(t *schema.Type, key string) *schema.Type {
	if t == nil || t.Attribute(key) == nil {
		return nil
	}
	switch a := t.Attribute(key); {
	case a.ComponentType != nil:
		return a.ComponentType
	case a.Relation != nil:
		return a.Relation.Target
	}
	return nil
}

// withMembers returns an object with what value returns for each member, and without those for
// which that is nil.
func withMembers(object body.JSON, value func(body.Member) body.JSON) body.JSON {
	out := []byte{'{'}
	for _, m := range object.Members() {
		v := value(m)
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(m.Key)...), ':'), v...)
	}
	return append(out, '}')
}

// withElements returns a list with what value returns for each element.
func withElements(list body.JSON, value func(body.JSON) body.JSON) body.JSON {
	out := []byte{'['}
	for i, element := range list.Elements() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value(element)...)
	}
	return append(out, ']')
}
