package body

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"quire/schema"
	"quire/store"
)

// Sent returns the value from which the body was decoded.
func (in *Input) Sent() Value { return in.sent }

// Access returns the rights with which the body was decoded; nil for all.
func (in *Input) Access() schema.Access { return in.access }

// Shown is the "data" of a body for a content type or component as somebody is shown it who
// is asked about it: without the passwords that it gives, at any depth, and with numbers,
// booleans and choices as such, although "3" and 3 mean the same in a body. hidden reports
// whether there were passwords.
func (v Value) Shown(site *schema.Site, t *schema.Type) (shown Value, hidden bool) {
	if v.shape() != jsonObject {
		return v, false
	}
	kept := []Field{}
	for _, m := range v.Members() {
		a := t.Attribute(m.Key)
		switch {
		case a == nil:
		case a.Kind == schema.Password:
			hidden = true
			continue
		case a.Kind == schema.Component || a.Kind == schema.DynamicZone:
			inside, some := m.Value.instancesShown(site, a)
			m.Value, hidden = inside, hidden || some
		default:
			m.Value = m.Value.plain(a)
		}
		kept = append(kept, m)
	}
	return Object(kept...), hidden
}

// instancesShown is Shown for the value of an attribute of components.
func (v Value) instancesShown(site *schema.Site, a *schema.Attribute) (shown Value, hidden bool) {
	switch v.shape() {
	case jsonObject:
		component := a.ComponentType
		if a.Kind == schema.DynamicZone {
			component = v.zoneComponent(a)
		}
		if component == nil {
			return v, false
		}
		return v.Shown(site, component)
	case jsonList:
		var items []Value
		for _, item := range v.elements() {
			inside, some := item.instancesShown(site, a)
			items, hidden = append(items, inside), hidden || some
		}
		return List(items...), hidden
	}
	return v, false
}

// plain is a number, a boolean or a choice as such, and any other value as it is.
func (v Value) plain(a *schema.Attribute) Value {
	switch a.Kind {
	case schema.Integer, schema.Float, schema.Decimal, schema.Boolean, schema.Enumeration:
	default:
		return v
	}
	var found Issues
	if shape := v.shape(); shape != jsonString && shape != jsonNumber && shape != jsonBool {
		return v
	}
	switch is := scalars[a.Kind].decode(v, Path{}, &found); {
	case len(found) > 0:
		return v
	case is.Kind == store.Int:
		return OfJSON(strconv.AppendInt(nil, is.Num, 10))
	case is.Kind == store.Float:
		return OfJSON(strconv.AppendFloat(nil, is.Real, 'g', -1, 64))
	case is.Kind == store.Bool:
		return OfJSON(strconv.AppendBool(nil, is.Num != 0))
	default:
		return Text(is.Text)
	}
}

// zoneComponent is the component that an item of a dynamic zone says it is, nil for none.
func (v Value) zoneComponent(zone *schema.Attribute) *schema.Type {
	for _, m := range v.Members() {
		for _, c := range zone.Zone {
			if m.Key == "__component" && m.Value.shape() == jsonString && m.Value.text() == c.UID {
				return c
			}
		}
	}
	return nil
}

// Revised is the "data" of a body after somebody who was shown it has returned it,
// changed or not. What is returned as it was shown stays as it was sent, so
// that passwords stay, and numbers that not every program can hold. The error says that the
// returned value is no object, that it gives a password, or that it changes a component
// whose password was not shown.
func (v Value) Revised(site *schema.Site, t *schema.Type, returned json.RawMessage) (Value, error) {
	object, err := Readable(site, returned)
	if err != nil {
		return Value{}, err
	}
	all, _ := v.Shown(site, t)
	sent, shown := v.byKey(), all.byKey()
	revised := Value{json: object}.Members()
	for i := range revised {
		m := &revised[i]
		was, there := shown[m.Key]
		_, gives := Object(*m).Shown(site, t)
		_, hides := Object(Field{Key: m.Key, Value: sent[m.Key]}).Shown(site, t)
		switch {
		case there && sameJSON(was, m.Value):
			m.Value = sent[m.Key]
		case gives:
			return Value{}, fmt.Errorf("%q gives a password, which cannot be set this way", m.Key)
		case there && hides:
			return Value{}, fmt.Errorf("%q holds a password that was not shown, and cannot be changed", m.Key)
		}
	}
	for _, m := range v.Members() {
		if a := t.Attribute(m.Key); a != nil && a.Kind == schema.Password {
			revised = append(revised, m)
		}
	}
	return Object(revised...), nil
}

func (v Value) byKey() map[string]Value {
	members := map[string]Value{}
	if v.shape() == jsonObject {
		for _, m := range v.Members() {
			members[m.Key] = m.Value
		}
	}
	return members
}

// sameJSON reports whether two values are the same to programs with JavaScript's numbers.
func sameJSON(a, b Value) bool {
	var x, y any
	return json.Unmarshal(a.JSON(), &x) == nil && json.Unmarshal(b.JSON(), &y) == nil && reflect.DeepEqual(x, y)
}
