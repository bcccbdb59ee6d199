package bulk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"quire/content"
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// Archived is one version of a document in an archive.
type Archived struct {
	UID  string       // of its type, which the site may not have
	Type *schema.Type // nil then
	Row  uint64       // its numeric id in the archive

	// Entry has the row as its id and, of types that the site does not have, no
	// fields.
	Entry store.Entry

	// Locale is the entry's locale in the archive, if its type is not localized here.
	Locale string

	// Unknown names values for which the site's schema has no attribute, as "attribute" or
	// "attribute.attribute" below the type; nulls do not count.
	Unknown []string

	// Err is why the entry cannot be stored.
	Err error
}

// Links finds the edges of the relations that entries and components own.
type Links interface {
	// Edges returns, in order, the edges of an attribute of one row of its owner: of an
	// entry, or of a component instance. from is the entry with which they are stored.
	Edges(a *schema.Attribute, row uint64, from store.Key) []store.Edge
}

// archivedDepth bounds how deep an archived entry may be nested.
const archivedDepth = 500

// DecodeArchived reads an entry from a line of an archive's entities:
//
//	{"type": "api::dish.dish", "id": 7, "data": {"documentId": "…", "name": "Soup", …}}
//
// Its content was accepted elsewhere, so only its form is checked: not limits, texts may be
// of any length, and passwords are hashes. Without links, it reads only what identifies the
// entry.
func DecodeArchived(site *schema.Site, line []byte, links Links) *Archived {
	e := &Archived{}
	d := archiveDecoder{site: site, links: links, into: e}
	if e.Err = d.entity(bytes.TrimSpace(line)); e.Err == nil {
		e.Err = d.found.Err()
	}
	return e
}

// archiveDecoder reads one archived entry.
type archiveDecoder struct {
	site  *schema.Site
	found body.Issues
	links Links
	into  *Archived
}

func (d *archiveDecoder) entity(raw body.JSON) error {
	if err := wellFormed(raw, archivedDepth); err != nil {
		return err
	}
	if !raw.IsObject() {
		return body.Refuse("it is not an object")
	}
	var data body.JSON
	for _, m := range raw.Members() {
		switch m.Key {
		case "type":
			d.into.UID = d.text(m)
		case "id":
			d.into.Row = rowID(m.Value)
		case "data":
			data = m.Value
		}
	}
	switch {
	case d.into.UID == "" || d.into.Row == 0:
		return body.Refuse("it has no type or no id")
	case data == nil || !data.IsObject():
		return body.Refuse("it has no data")
	}
	if t := d.site.Type(d.into.UID); t != nil && !t.IsComponent() {
		d.into.Type = t
	}
	if d.links == nil {
		return d.entry(identity(data))
	}
	return d.entry(data.Members())
}

// identity returns the members that identify an entry, without reading the others.
func identity(data body.JSON) []body.Member {
	list := make([]body.Member, 0, 8)
	data.EachMember(func(key, value body.JSON) {
		switch string(key) {
		case `"documentId"`, `"locale"`, `"createdAt"`, `"updatedAt"`, `"publishedAt"`:
			name, _ := key.Text()
			list = append(list, body.Member{Key: name, Value: value})
		}
	})

	return list
}

// rowID returns a numeric id, 0 for an invalid one. Responses have ids as JSON numbers,
// which JavaScript reads exactly only up to 2^53.
func rowID(raw body.JSON) uint64 {
	id, ok := raw.Digits()
	if !ok || id > 1<<53 {
		return 0
	}
	return id
}

// text returns the text of a member, empty if it is something else.
func (d *archiveDecoder) text(m body.Member) string {
	s, _ := m.Value.Text()
	return s
}

// entry reads the members that every entry has, and then its values.
func (d *archiveDecoder) entry(list []body.Member) error {
	e := &d.into.Entry
	e.ID = d.into.Row
	rest := list[:0]
	for _, m := range list {
		switch m.Key {
		case "documentId":
			e.DocumentID = d.text(m)
		case "locale":
			e.Locale = d.text(m)
		case "createdAt":
			e.CreatedAt = d.moment(m)
		case "updatedAt":
			e.UpdatedAt = d.moment(m)
		case "publishedAt":
			e.PublishedAt = d.moment(m)
		case "id", "createdBy", "updatedBy", "localizations":
		default:
			rest = append(rest, m)
		}
	}
	if e.DocumentID == "" || !content.ValidDocumentID(e.DocumentID) {
		return body.Refuse("%q cannot be a documentId", e.DocumentID)
	}
	if d.into.Type == nil {
		return nil
	}
	if err := d.identify(e); err != nil || d.links == nil {
		return err
	}
	e.Fields = d.fields(d.into.Type, e.ID, rest, body.Path{}, "")
	return nil
}

// moment returns a time in milliseconds since 1970, 0 for null.
func (d *archiveDecoder) moment(m body.Member) int64 {
	if m.Value.IsNull() {
		return 0
	}
	return body.DecodeMoment(m.Value, body.At(m.Key), &d.found)
}

// identify sets the locale and status of an entry.
func (d *archiveDecoder) identify(e *store.Entry) error {
	t := d.into.Type
	switch {
	case !t.Localized:
		d.into.Locale, e.Locale = e.Locale, ""
	case !d.site.Settings.HasLocale(e.Locale):
		return body.Refuse("the site has no locale %q", e.Locale)
	}
	e.Status = store.Published
	if t.DraftAndPublish && e.PublishedAt == 0 {
		e.Status = store.Draft
	}
	e.CreatedAt = cmp.Or(e.CreatedAt, e.UpdatedAt, e.PublishedAt)
	e.UpdatedAt = cmp.Or(e.UpdatedAt, e.CreatedAt)
	if e.Status == store.Published {
		e.PublishedAt = cmp.Or(e.PublishedAt, e.UpdatedAt)
	}
	return nil
}

// fields reads the values of a row of t. in names the attributes that lead to it.
func (d *archiveDecoder) fields(t *schema.Type, row uint64, list []body.Member, at body.Path, in string) store.Fields {
	fields := make(store.Fields, 0, len(t.Attributes))
	for _, m := range list {
		a := t.Attribute(m.Key)
		switch {
		case m.Value.IsNull():
		case a == nil || a.System != schema.NotSystem:
			d.into.Unknown = append(d.into.Unknown, in+m.Key)
		case a.Relation != nil: // in the links of the archive
		default:
			if v := d.value(a, m.Value, at.Attribute(a.Name), in+a.Name+"."); !v.IsEmpty() {
				fields = append(fields, store.Field{Name: a.Name, Value: v})
			}
		}
	}
	for _, a := range t.Attributes {
		if a.Relation != nil && a.Relation.Owns {
			if edges := d.links.Edges(a, row, d.into.Entry.Key()); len(edges) > 0 {
				fields = append(fields, store.Field{Name: a.Name, Value: store.Value{Kind: store.Edges, Edges: edges}})
			}
		}
	}
	return fields
}

func (d *archiveDecoder) value(a *schema.Attribute, raw body.JSON, at body.Path, in string) store.Value {
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		return store.Value{Kind: store.Instances, Instances: d.instances(a, raw, at, in)}
	}
	return body.DecodeAccepted(a, raw, at, &d.found)
}

func (d *archiveDecoder) instances(a *schema.Attribute, raw body.JSON, at body.Path, in string) []store.Instance {
	if !a.IsList() {
		return d.appendInstance(nil, a, raw, at, in)
	}
	if !raw.IsList() {
		d.found.WrongShape("array", raw, at)
		return nil
	}
	var instances []store.Instance
	for i, item := range raw.Elements() {
		instances = d.appendInstance(instances, a, item, at.Item(i), in)
	}
	return instances
}

// instance appends an instance of a component.
func (d *archiveDecoder) appendInstance(to []store.Instance, a *schema.Attribute, raw body.JSON, at body.Path, in string) []store.Instance {
	if !raw.IsObject() {
		d.found.WrongShape("object", raw, at)
		return to
	}
	component := a.ComponentType
	var r store.Instance
	list := slices.DeleteFunc(raw.Members(), func(m body.Member) bool {
		switch m.Key {
		case "id":
			r.ID = rowID(m.Value)
		case "__component":
			if a.Kind == schema.DynamicZone {
				component = d.component(d.text(m), at)
			}
		default:
			return false
		}
		return true
	})
	if component == nil {
		return to
	}
	r.Component = component.UID
	r.Fields = d.fields(component, r.ID, list, at, in)
	return append(to, r)
}

func (d *archiveDecoder) component(uid string, at body.Path) *schema.Type {
	t := d.site.Type(uid)
	if t == nil || !t.IsComponent() {
		d.found.Add(at, nil, "%s is of the component %q, which the site does not have", at, uid)
		return nil
	}
	return t
}

// wellFormed checks what must be true before JSON can be split.
func wellFormed(raw body.JSON, depthLimit int) error {
	switch {
	case !json.Valid(raw):
		return body.Refuse("it is not valid JSON")
	case !utf8.Valid(raw):
		return body.Refuse("it is not valid UTF-8")
	case raw.Depth() > depthLimit:
		return body.Refuse("it is nested deeper than %d levels", depthLimit)
	}
	return nil
}
