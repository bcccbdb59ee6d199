package content

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// Archived is one version of a document as an archive holds it.
type Archived struct {
	UID  string       // of its type, which the site may not have
	Type *schema.Type // nil then
	Row  uint64       // its numeric id in the archive

	// Entry has the row as its id and, of types that the site does not have, no
	// fields.
	Entry store.Entry

	// Unknown names values that the site's schema has no attribute for, as
	// "attribute" or "attribute.attribute" below the type; nulls do not count.
	Unknown []string

	// Err is why the entry cannot be stored.
	Err error
}

// Links finds the edges of the relations that entries and components own.
type Links interface {
	// Edges returns, in order, the edges of an attribute of one row of its
	// owner: of an entry, or of a component instance. from is the entry that
	// they are stored with.
	Edges(a *schema.Attribute, row uint64, from store.Key) []store.Edge
}

// archivedDepth bounds how deep an archived entry may be nested.
const archivedDepth = 500

// DecodeArchived reads an entry from a line of an archive's entities:
//
//	{"type": "api::dish.dish", "id": 7, "data": {"documentId": "…", "name": "Soup", …}}
//
// What it holds was accepted elsewhere, so that only its form is checked: limits
// are not, texts may be of any length, and passwords are hashes. Without links,
// nothing but what identifies the entry is read.
func DecodeArchived(site *schema.Site, line []byte, links Links) *Archived {
	e := &Archived{}
	d := archiveDecoder{decoder: decoder{site: site}, links: links, into: e}
	if e.Err = d.entity(bytes.TrimSpace(line)); e.Err == nil {
		e.Err = d.found.err()
	}
	return e
}

// archiveDecoder reads one archived entry.
type archiveDecoder struct {
	decoder
	links Links
	into  *Archived
}

func (d *archiveDecoder) entity(raw rawValue) error {
	if err := wellFormed(raw, archivedDepth); err != nil {
		return err
	}
	if shapeOf(raw) != jsonObject {
		return refuse("it is no object")
	}
	var data rawValue
	for _, m := range members(raw) {
		switch m.key {
		case "type":
			d.into.UID = d.text(m)
		case "id":
			d.into.Row = rowID(m.value)
		case "data":
			data = m.value
		}
	}
	switch {
	case d.into.UID == "" || d.into.Row == 0:
		return refuse("it has no type or no id")
	case data == nil || shapeOf(data) != jsonObject:
		return refuse("it has no data")
	}
	if t := d.site.Type(d.into.UID); t != nil && !t.IsComponent() {
		d.into.Type = t
	}
	if d.links == nil {
		return d.entry(identity(data))
	}
	return d.entry(members(data))
}

// identity is the members of an entry that say which one it is, without a look
// at the others.
func identity(data rawValue) []member {
	list := make([]member, 0, 8)
	eachMember(data, func(key, value rawValue) {
		switch string(key) {
		case `"documentId"`, `"locale"`, `"createdAt"`, `"updatedAt"`, `"publishedAt"`:
			list = append(list, member{text(key), value})
		}
	})
	return list
}

// rowID is a numeric id, 0 for what cannot be one. Answers carry ids as JSON
// numbers, which JavaScript reads exactly up to 2^53 only.
func rowID(raw rawValue) uint64 {
	id, ok := digits(raw)
	if !ok || id > 1<<53 {
		return 0
	}
	return id
}

// text is the text of a member, empty where it is something else.
func (d *archiveDecoder) text(m member) string {
	if shapeOf(m.value) != jsonString {
		return ""
	}
	return text(m.value)
}

// entry reads what every entry has, and then its values.
func (d *archiveDecoder) entry(list []member) error {
	e := &d.into.Entry
	e.ID = d.into.Row
	rest := list[:0]
	for _, m := range list {
		switch m.key {
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
	if e.DocumentID == "" || !storable(e.DocumentID) {
		return refuse("%q cannot be a documentId", e.DocumentID)
	}
	if d.into.Type == nil {
		return nil
	}
	if err := d.identify(e); err != nil || d.links == nil {
		return err
	}
	e.Fields = d.fields(d.into.Type, e.ID, rest, path{}, "")
	return nil
}

// moment is a time in milliseconds since 1970, 0 for null.
func (d *archiveDecoder) moment(m member) int64 {
	if isNull(m.value) {
		return 0
	}
	entry := path{}
	v := decodeDateTime(m.value, entry.attribute(m.key), &d.found)
	moment, err := time.Parse(schema.DateTimeLayout, v.Text)
	if err != nil {
		return 0 // and reported
	}
	return moment.UnixMilli()
}

// identify settles the locale and status of an entry.
func (d *archiveDecoder) identify(e *store.Entry) error {
	t := d.into.Type
	switch {
	case !t.Localized:
		e.Locale = ""
	case !d.site.Settings.HasLocale(e.Locale):
		return refuse("the site has no locale %q", e.Locale)
	}
	e.Status = store.Published
	if t.DraftAndPublish && e.PublishedAt == 0 {
		e.Status = store.Draft
	}
	e.CreatedAt = firstOf(e.CreatedAt, e.UpdatedAt, e.PublishedAt)
	e.UpdatedAt = firstOf(e.UpdatedAt, e.CreatedAt)
	if e.Status == store.Published {
		e.PublishedAt = firstOf(e.PublishedAt, e.UpdatedAt)
	}
	return nil
}

func firstOf(moments ...int64) int64 {
	for _, m := range moments {
		if m != 0 {
			return m
		}
	}
	return 0
}

// fields reads the values of a row of t. in names the attributes on the way to it.
func (d *archiveDecoder) fields(t *schema.Type, row uint64, list []member, at path, in string) []store.Field {
	fields := make([]store.Field, 0, len(t.Attributes))
	for _, m := range list {
		a := t.Attribute(m.key)
		switch {
		case isNull(m.value):
		case a == nil || a.System != schema.NotSystem:
			d.into.Unknown = append(d.into.Unknown, in+m.key)
		case a.Relation != nil: // in the links
		default:
			if v := d.value(a, m.value, at.attribute(a.Name), in+a.Name+"."); !isEmpty(v) {
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

func (d *archiveDecoder) value(a *schema.Attribute, raw rawValue, at path, in string) store.Value {
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		return store.Value{Kind: store.Records, Records: d.records(a, raw, at, in)}
	case schema.JSON, schema.Blocks:
		if hasNull(raw) {
			d.found.add(at, nil, "%s must not contain the null character", at)
			return store.Value{}
		}
		return store.Value{Kind: store.JSON, Text: compact(raw)}
	case schema.Decimal:
		return decodeFloat(raw, at, &d.found)
	}
	if a.IsText() {
		return decodeText(raw, at, &d.found)
	}
	return scalars[a.Kind].decode(raw, at, &d.found)
}

func (d *archiveDecoder) records(a *schema.Attribute, raw rawValue, at path, in string) []store.Record {
	if !isList(a) {
		return d.record(nil, a, raw, at, in)
	}
	if shapeOf(raw) != jsonList {
		wrongShape("array", raw, at, &d.found)
		return nil
	}
	var records []store.Record
	for i, item := range elements(raw) {
		records = d.record(records, a, item, at.item(i), in)
	}
	return records
}

// record appends an instance of a component.
func (d *archiveDecoder) record(to []store.Record, a *schema.Attribute, raw rawValue, at path, in string) []store.Record {
	if shapeOf(raw) != jsonObject {
		wrongShape("object", raw, at, &d.found)
		return to
	}
	component := a.ComponentType
	var r store.Record
	list := slices.DeleteFunc(members(raw), func(m member) bool {
		switch m.key {
		case "id":
			r.ID = rowID(m.value)
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

func (d *archiveDecoder) component(uid string, at path) *schema.Type {
	t := d.site.Type(uid)
	if t == nil || !t.IsComponent() {
		d.found.add(at, nil, "%s is of the component %q, which the site does not have", at, uid)
		return nil
	}
	return t
}

// wellFormed checks what must hold before JSON can be taken apart.
func wellFormed(raw rawValue, depthLimit int) error {
	switch {
	case !json.Valid(raw):
		return refuse("it is not valid JSON")
	case !utf8.Valid(raw):
		return refuse("it is not valid UTF-8")
	case depth(raw) > depthLimit:
		return refuse("it is nested deeper than %d levels", depthLimit)
	}
	return nil
}
