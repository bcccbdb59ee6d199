package archive

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"slices"

	"quire/schema"
	"quire/store"
)

// entities writes every entry, and its links to a spool of their own.
func (x *exporter) entities(ctx context.Context, s, links *spool) error {
	for _, t := range x.Site.Types {
		if err := x.each(ctx, t, func(e *store.Entry) error {
			x.report.add(t.UID, 1)
			w := &entityWriter{exporter: x, t: t, entry: e, links: links}
			if err := s.line(w.line()); err != nil {
				return err
			}
			return w.err
		}); err != nil {
			return err
		}
	}
	if err := x.locales(s); err != nil {
		return err
	}
	return x.permissions(s, links)
}

// ownAttributes are the attributes of built-in types that Strapi does not have.
var ownAttributes = map[string][]string{schema.UserUID: {"sessionEpoch", "providerKey"}, schema.RoleUID: {"permissions"}}

// entityWriter writes one entry.
type entityWriter struct {
	*exporter
	t     *schema.Type
	entry *store.Entry
	links *spool // nil for a note, which has none
	err   error
}

func (w *entityWriter) line() []byte {
	line := beginObject(make([]byte, 0, 1024))
	line.text("type", w.t.UID)
	line.number("id", w.entry.ID)
	line.key("data")
	data := beginObject(line.dst)
	data.text("documentId", w.entry.DocumentID)
	w.values(data, w.t, w.entry.ID, w.entryFields())
	data.raw("createdAt", appendMoment(nil, w.entry.CreatedAt))
	data.raw("updatedAt", appendMoment(nil, w.entry.UpdatedAt))
	data.raw("publishedAt", appendMoment(nil, w.entry.PublishedAt))
	data.key("locale")
	if w.entry.Locale == "" {
		data.dst = append(data.dst, "null"...)
	} else {
		data.dst = appendText(data.dst, w.entry.Locale)
	}
	line.dst = data.end()
	return line.end()
}

// entryFields returns the entry's fields in the form of an archive.
func (w *entityWriter) entryFields() []store.Field {
	switch w.t.UID {
	case schema.FileUID:
		return w.asFile(w.entry).Fields
	case schema.RoleUID:
		for _, action := range w.actions() {
			w.granted = append(w.granted, grant{w.entry, action})
		}
	}
	return w.entry.Fields
}

// actions returns the permissions of the role that is written.
func (w *entityWriter) actions() (list []string) {
	if listed, ok := w.Roles[w.entry.Value("type").Text]; ok {
		return listed
	}
	_ = json.Unmarshal([]byte(w.entry.Value("permissions").Text), &list) // a text that cannot be read allows nothing
	return list
}

// values appends the values of an entry or of a component instance. row is its numeric id,
// which its links use.
func (w *entityWriter) values(o *object, t *schema.Type, row uint64, fields []store.Field) {
	for _, a := range t.Attributes {
		v := fieldValue(fields, a.Name)
		switch {
		case slices.Contains(ownAttributes[t.UID], a.Name):
		case t.UID == schema.FolderUID && a.Name == "private" && v.Num == 0: // Strapi has only public folders
		case a.Relation != nil:
			w.writeLinks(a, row, v.Edges)
		case a.IsScalar():
			if text, ok := appendScalar(nil, a, v); ok {
				o.raw(a.Name, text)
			}
		default:
			o.key(a.Name)
			o.dst = w.instances(o.dst, a, v.Instances)
		}
	}
}

func fieldValue(fields []store.Field, name string) store.Value {
	for i := range fields {
		if fields[i].Name == name {
			return fields[i].Value
		}
	}
	return store.Value{}
}

func (w *entityWriter) instances(dst []byte, a *schema.Attribute, instances []store.Instance) []byte {
	if a.Kind == schema.Component && !a.Repeatable {
		if len(instances) == 0 {
			return append(dst, "null"...)
		}
		return w.instance(dst, a, instances[0])
	}
	dst = append(dst, '[')
	first := true
	for _, r := range instances {
		if w.Site.Type(r.Component) == nil {
			w.report.leave("instances of "+r.Component, 1, "the site has no such component")
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = w.instance(dst, a, r)
	}
	return append(dst, ']')
}

// instance appends a component instance. In an archive a draft and its published version
// have separate instances.
func (w *entityWriter) instance(dst []byte, a *schema.Attribute, r store.Instance) []byte {
	t := w.Site.Type(r.Component)
	if w.entry.Status == store.Published && w.t.DraftAndPublish {
		w.components[t.UID]++
		r.ID = w.components[t.UID]
	}
	o := beginObject(dst)
	if a.Kind == schema.DynamicZone {
		o.text("__component", r.Component)
	}
	o.number("id", r.ID)
	w.values(o, t, r.ID, r.Fields)
	return o.end()
}

// locales writes the site's locales, which are entries in Strapi.
func (x *exporter) locales(s *spool) error {
	for i, l := range x.Site.Settings.Locales {
		data := beginObject(nil)
		data.text("documentId", madeID(localeUID, l.Code))
		data.text("name", l.Name)
		data.text("code", l.Code)
		if err := x.plainEntity(s, localeUID, uint64(i+1), data); err != nil {
			return err
		}
	}
	return nil
}

// permissions writes the permissions of roles, as entries that are linked to the roles.
func (x *exporter) permissions(s, links *spool) error {
	for i, g := range x.granted {
		row := uint64(i + 1)
		data := beginObject(nil)
		data.text("documentId", madeID(g.role.DocumentID, g.action))
		data.text("action", g.action)
		if err := x.plainEntity(s, permissionUID, row, data); err != nil {
			return err
		}
		pos := 1.0
		err := x.writeLink(links, linkLine{
			Kind: "relation.basic", Relation: "manyToOne",
			Left:  linkEnd{Type: permissionUID, Field: "role", Ref: rowRef(row)},
			Right: linkEnd{Type: schema.RoleUID, Field: "permissions", Ref: rowRef(g.role.ID), Pos: &pos},
		})
		if err != nil {
			return err
		}
	}
	x.report.add(permissionUID, len(x.granted))
	return nil
}

// plainEntity writes an entry that is not an entry in Quire.
func (x *exporter) plainEntity(s *spool, uid string, row uint64, data *object) error {
	now := appendMoment(nil, x.now.UnixMilli())
	for _, name := range []string{"createdAt", "updatedAt", "publishedAt"} {
		data.raw(name, now)
	}
	data.raw("locale", []byte("null"))
	line := beginObject(nil)
	line.text("type", uid)
	line.number("id", row)
	line.raw("data", data.end())
	return s.line(line.end())
}

// madeID returns a documentId that is always the same for the same names.
func madeID(names ...string) string {
	h := sha256.New()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return ("q" + new(big.Int).SetBytes(h.Sum(nil)).Text(36) + "00000000000000000000000")[:24]
}
