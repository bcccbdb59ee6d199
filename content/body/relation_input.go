package body

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// The forms of the links of a relation or media attribute in a body, all from Strapi:
//
//	null, ITEM, [ITEM, ...]                         the whole new list
//	{"set": ITEMS}                                  the same; wins over the next two
//	{"connect": ITEMS, "disconnect": ITEMS}         changes to the list
//	{"options": {"strict": false}}                  see linksInput.lenient
//	{}                                              no change
//
// ITEM is a documentId, the numeric id of any entry of the document, or {"documentId" |
// "id", "locale", "status", "position", "__type"}; ITEMS is one or a list of them. null
// items are skipped. "status" counts if an entry without drafts links to a type with
// drafts, through a relation with two sides; see versions.go. Everywhere else the read
// decides which version it shows.

var (
	listKeys = []string{"set", "connect", "disconnect", "options"}
	itemKeys = []string{"documentId", "id", "locale", "status", "position"}
)

// invalidRelations reports invalid links. Strapi does not say where, so the path is that of
// the body.
func (d *decoder) invalidRelations(at Path) {
	d.found.Add(Path{}, nil, "Invalid relations at %s", at)
}

// mayLink refuses links to a type that the caller may not find. Files may
// always be linked to.
func (d *decoder) mayLink(a *schema.Attribute, target *schema.Type, at Path) error {
	if target == nil || a.Kind == schema.Media || d.access == nil || d.access.Allows(target, schema.Find) {
		return nil
	}
	return &KeyError{a.Name, at.dotted(), ReservedKey}
}

func (d *decoder) links(a *schema.Attribute, raw Value, at Path) (*Links, error) {
	if err := d.mayLink(a, a.Relation.Target, at); err != nil {
		return nil, err
	}
	if raw.shape() == jsonObject {
		list := raw.Members()
		if len(list) == 0 || slices.ContainsFunc(list, func(m Field) bool { return slices.Contains(listKeys, m.Key) }) {
			return d.linkChanges(a, list, at)
		}
	}
	set, err := d.linkItems(a, raw, at)
	return &Links{Replace: true, Set: set}, err
}

// linkChanges decodes the form with set, connect and disconnect.
func (d *decoder) linkChanges(a *schema.Attribute, list []Field, at Path) (*Links, error) {
	in := &Links{}
	for _, m := range list {
		var err error
		switch m.Key {
		case "set":
			in.Replace = true
			in.Set, err = d.linkItems(a, m.Value, at)
		case "connect":
			in.Connect, err = d.linkItems(a, m.Value, at)
		case "disconnect":
			in.Disconnect, err = d.linkItems(a, m.Value, at)
		case "options":
			in.Lenient, err = d.linkOptions(m.Value, at)
		default:
			err = &KeyError{m.Key, at.dotted(), UnknownKey}
		}
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (d *decoder) linkOptions(raw Value, at Path) (lenient bool, err error) {
	if raw.shape() != jsonObject {
		d.invalidRelations(at)
		return false, nil
	}
	for _, m := range raw.Members() {
		switch {
		case m.Key != "strict":
			return false, &KeyError{m.Key, at.dotted(), UnknownKey}
		case m.Value.shape() != jsonBool:
			d.invalidRelations(at)
		default:
			lenient = m.Value.literal() == "false"
		}
	}
	return lenient, nil
}

// linkItems decodes one item or a list of them.
func (d *decoder) linkItems(a *schema.Attribute, raw Value, at Path) ([]Link, error) {
	items := func(yield func(int, Value) bool) { yield(0, raw) }
	if raw.shape() == jsonList {
		items = raw.elements()
	}
	var links []Link
	for _, item := range items {
		if item.IsNull() {
			continue
		}
		if err := d.count(at); err != nil {
			return nil, err
		}
		link, err := d.linkItem(a, item, at)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

func (d *decoder) linkItem(a *schema.Attribute, raw Value, at Path) (Link, error) {
	var link Link
	var err error
	if raw.shape() == jsonObject {
		link, err = d.linkObject(a, raw.Members(), at)
	} else {
		d.linkName(raw, at, &link.Target)
	}
	if err == nil && a.Relation.Morph() && link.Morph == nil {
		d.found.Add(at, nil, "%s needs the __type of what it links to", at)
	}
	return link, err
}

// linkName decodes an item that is only a documentId or a number.
func (d *decoder) linkName(raw Value, at Path, to *Target) {
	switch raw.shape() {
	case jsonString:
		to.DocumentID = raw.text()
	case jsonNumber:
		to.ID, _ = raw.digits()
	}
	if to.DocumentID == "" && to.ID == 0 {
		d.invalidRelations(at)
	}
}

func (d *decoder) linkObject(a *schema.Attribute, list []Field, at Path) (Link, error) {
	var link Link
	for _, m := range list {
		morphType := m.Key == "__type" && a.Relation.Morph()
		if !morphType && !slices.Contains(itemKeys, m.Key) {
			return link, &KeyError{m.Key, at.dotted(), UnknownKey}
		}
		if m.Value.IsNull() {
			continue
		}
		if err := d.linkMember(a, m, at, &link); err != nil {
			return link, err
		}
	}
	if link.DocumentID == "" && link.ID == 0 {
		d.invalidRelations(at)
	}
	link.Position.Neighbour = link.Position.Neighbour.or(link.Target)
	return link, nil
}

func (d *decoder) linkMember(a *schema.Attribute, m Field, at Path, link *Link) error {
	isText := m.Value.shape() == jsonString
	switch {
	case m.Key == "documentId" && isText:
		link.DocumentID = m.Value.text()
	case m.Key == "id" && isNumber(m.Value):
		link.ID, _ = m.Value.digits()
	case d.versionMember(m, &link.Target):
	case m.Key == "position" && m.Value.shape() == jsonObject:
		return d.linkPosition(a, m.Value.Members(), at, &link.Position)
	case m.Key == "__type" && isText:
		return d.morphType(a, m.Value.text(), at, link)
	default:
		d.invalidRelations(at)
	}
	return nil
}

// versionMember decodes the locale or the status of an item. Like Strapi, it treats any
// status but published as draft.
func (d *decoder) versionMember(m Field, to *Target) bool {
	switch {
	case m.Value.shape() != jsonString:
		return false
	case m.Key == "locale":
		to.Locale = m.Value.text()
	case m.Key == "status":
		to.Status = store.Draft
		if m.Value.text() == "published" {
			to.Status = store.Published
		}
	default:
		return false
	}
	return true
}

func isNumber(raw Value) bool {
	_, ok := raw.digits()
	return ok
}

func (d *decoder) morphType(a *schema.Attribute, uid string, at Path, link *Link) error {
	t := d.site.Type(uid)
	if t == nil || t.IsComponent() {
		d.found.Add(at, quote(uid), "%s cannot link to %s, which is no content type", at, uid)
		t = a.Owner // prevents another error about the missing type
	}
	link.Morph = t
	return d.mayLink(a, t, at)
}

// linkPosition decodes {"before": ITEM}, {"after": ITEM}, {"start": true} or {"end": true}.
// "locale" and "status" of the neighbour are allowed next to it. Strapi treats an unknown
// position as the end; here it is refused.
func (d *decoder) linkPosition(a *schema.Attribute, list []Field, at Path, p *Position) error {
	wrong := func() error {
		d.found.Add(at, nil, `%s has a position that is not one of {"before": …}, {"after": …}, {"start": true} and {"end": true}`, at)
		return nil
	}
	list = slices.DeleteFunc(slices.Clone(list), func(m Field) bool {
		return (m.Key == "locale" || m.Key == "status") && (m.Value.IsNull() || d.versionMember(m, &p.Neighbour))
	})
	if len(list) != 1 {
		return wrong()
	}
	value := list[0].Value
	switch key := list[0].Key; {
	case key == "start" && value.literal() == "true":
		p.Where = AtStart
	case key == "end" && value.literal() == "true":
		p.Where = AtEnd
	case key == "before" && !value.IsNull(), key == "after" && !value.IsNull():
		p.Where = Before
		if key == "after" {
			p.Where = After
		}
		neighbour, err := d.linkItem(a, value, at)
		p.Neighbour = neighbour.Target.or(p.Neighbour)
		return err
	default:
		return wrong()
	}
	return nil
}

// or returns the target with the locale and version of another one if it has none.
func (t Target) or(other Target) Target {
	if t.Locale == "" {
		t.Locale = other.Locale
	}
	if t.Status == 0 {
		t.Status = other.Status
	}
	return t
}
