package content

import (
	"slices"

	"quire/schema"
)

// The forms in which a body names the links of a relation or media attribute,
// all of the reference:
//
//	null, ITEM, [ITEM, ...]                         the whole new list
//	{"set": ITEMS}                                  the same; wins over the next two
//	{"connect": ITEMS, "disconnect": ITEMS}         changes to the list
//	{"options": {"strict": false}}                  see linksInput.lenient
//	{}                                              no change
//
// ITEM is a documentId, the numeric id of any entry of the document, or
// {"documentId" | "id", "locale", "status", "position", "__type"}; ITEMS is one
// or a list of them. null items are skipped. "status" has no effect: links name
// documents, and the read decides which version it shows.

var (
	listKeys = []string{"set", "connect", "disconnect", "options"}
	itemKeys = []string{"documentId", "id", "locale", "status", "position"}
)

// invalidRelations reports links that cannot be made out. The reference does
// not say where, so the path is that of the body.
func (d *decoder) invalidRelations(at path) {
	d.found.add(path{}, nil, "Invalid relations at %s", at)
}

// mayLink refuses links to a type that the caller may not find. Files may
// always be linked to.
func (d *decoder) mayLink(a *schema.Attribute, target *schema.Type, at path) error {
	if target == nil || a.Kind == schema.Media || d.access == nil || d.access.Allows(target, schema.Find) {
		return nil
	}
	return &KeyError{a.Name, at.dotted(), ReservedKey}
}

func (d *decoder) links(a *schema.Attribute, raw rawValue, at path) (*linksInput, error) {
	if err := d.mayLink(a, a.Relation.Target, at); err != nil {
		return nil, err
	}
	if shapeOf(raw) == jsonObject {
		list := members(raw)
		if len(list) == 0 || slices.ContainsFunc(list, func(m member) bool { return slices.Contains(listKeys, m.key) }) {
			return d.linkChanges(a, list, at)
		}
	}
	set, err := d.linkItems(a, raw, at)
	return &linksInput{replace: true, set: set}, err
}

// linkChanges decodes the form with set, connect and disconnect.
func (d *decoder) linkChanges(a *schema.Attribute, list []member, at path) (*linksInput, error) {
	in := &linksInput{}
	for _, m := range list {
		var err error
		switch m.key {
		case "set":
			in.replace = true
			in.set, err = d.linkItems(a, m.value, at)
		case "connect":
			in.connect, err = d.linkItems(a, m.value, at)
		case "disconnect":
			in.disconnect, err = d.linkItems(a, m.value, at)
		case "options":
			in.lenient, err = d.linkOptions(m.value, at)
		default:
			err = &KeyError{m.key, at.dotted(), UnknownKey}
		}
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (d *decoder) linkOptions(raw rawValue, at path) (lenient bool, err error) {
	if shapeOf(raw) != jsonObject {
		d.invalidRelations(at)
		return false, nil
	}
	for _, m := range members(raw) {
		switch {
		case m.key != "strict":
			return false, &KeyError{m.key, at.dotted(), UnknownKey}
		case shapeOf(m.value) != jsonBool:
			d.invalidRelations(at)
		default:
			lenient = string(m.value) == "false"
		}
	}
	return lenient, nil
}

// linkItems decodes one item or a list of them.
func (d *decoder) linkItems(a *schema.Attribute, raw rawValue, at path) ([]linkInput, error) {
	items := []rawValue{raw}
	if shapeOf(raw) == jsonList {
		items = elements(raw)
	}
	var links []linkInput
	for _, item := range items {
		if isNull(item) {
			continue
		}
		link, err := d.linkItem(a, item, at)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

func (d *decoder) linkItem(a *schema.Attribute, raw rawValue, at path) (linkInput, error) {
	var link linkInput
	var err error
	if shapeOf(raw) == jsonObject {
		link, err = d.linkObject(a, members(raw), at)
	} else {
		d.linkName(raw, at, &link.target)
	}
	if err == nil && a.Relation.Morph() && link.morph == nil {
		d.found.add(at, nil, "%s needs the __type of what it links to", at)
	}
	return link, err
}

// linkName decodes an item that is only a documentId or a number.
func (d *decoder) linkName(raw rawValue, at path, to *target) {
	switch shapeOf(raw) {
	case jsonString:
		to.documentID = text(raw)
	case jsonNumber:
		to.id, _ = digits(raw)
	}
	if to.documentID == "" && to.id == 0 {
		d.invalidRelations(at)
	}
}

func (d *decoder) linkObject(a *schema.Attribute, list []member, at path) (linkInput, error) {
	var link linkInput
	for _, m := range list {
		morphType := m.key == "__type" && a.Relation.Morph()
		if !morphType && !slices.Contains(itemKeys, m.key) {
			return link, &KeyError{m.key, at.dotted(), UnknownKey}
		}
		if isNull(m.value) {
			continue
		}
		if err := d.linkMember(a, m, at, &link); err != nil {
			return link, err
		}
	}
	if link.documentID == "" && link.id == 0 {
		d.invalidRelations(at)
	}
	return link, nil
}

func (d *decoder) linkMember(a *schema.Attribute, m member, at path, link *linkInput) error {
	isText := shapeOf(m.value) == jsonString
	switch {
	case m.key == "documentId" && isText:
		link.documentID = text(m.value)
	case m.key == "id" && isNumber(m.value):
		link.id, _ = digits(m.value)
	case m.key == "locale" && isText:
		link.locale = text(m.value)
	case m.key == "status" && isText:
	case m.key == "position" && shapeOf(m.value) == jsonObject:
		return d.linkPosition(a, members(m.value), at, &link.position)
	case m.key == "__type" && isText:
		return d.morphType(a, text(m.value), at, link)
	default:
		d.invalidRelations(at)
	}
	return nil
}

func isNumber(raw rawValue) bool {
	_, ok := digits(raw)
	return ok
}

func (d *decoder) morphType(a *schema.Attribute, uid string, at path, link *linkInput) error {
	t := d.site.Type(uid)
	if t == nil || t.IsComponent() {
		d.found.add(at, quote(uid), "%s cannot link to %s, which is no content type", at, uid)
		t = a.Owner // keeps the missing type from being reported on top
	}
	link.morph = t
	return d.mayLink(a, t, at)
}

// linkPosition decodes {"before": ITEM}, {"after": ITEM}, {"start": true} or
// {"end": true}. The reference takes an unknown position for the end; here it
// is refused.
func (d *decoder) linkPosition(a *schema.Attribute, list []member, at path, p *position) error {
	wrong := func() error {
		d.found.add(at, nil, `%s has a position that is not one of {"before": …}, {"after": …}, {"start": true} and {"end": true}`, at)
		return nil
	}
	if len(list) != 1 {
		return wrong()
	}
	value := list[0].value
	switch key := list[0].key; {
	case key == "start" && string(value) == "true":
		p.where = atStart
	case key == "end" && string(value) == "true":
		p.where = atEnd
	case key == "before" && !isNull(value), key == "after" && !isNull(value):
		p.where = before
		if key == "after" {
			p.where = after
		}
		neighbour, err := d.neighbour(a, value, at)
		p.neighbour = neighbour
		return err
	default:
		return wrong()
	}
	return nil
}

// neighbour decodes the item that a position refers to.
func (d *decoder) neighbour(a *schema.Attribute, raw rawValue, at path) (target, error) {
	link, err := d.linkItem(a, raw, at)
	return link.target, err
}
