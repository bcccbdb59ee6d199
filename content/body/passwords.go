package body

import (
	"encoding/json"
	"fmt"
	"reflect"

	"quire/schema"
)

// Sent is the value that the body was decoded from.
func (in *Input) Sent() Value { return in.sent }

// Access is whose rights the body was decoded with; nil for everything.
func (in *Input) Access() schema.Access { return in.access }

// WithoutPasswords is the "data" of a body for a content type or component without the
// passwords that it gives, at any depth. left reports whether there were some.
func (v Value) WithoutPasswords(site *schema.Site, t *schema.Type) (without Value, left bool) {
	if v.shape() != jsonObject {
		return v, false
	}
	kept := []Field{}
	for _, m := range v.Members() {
		a := t.Attribute(m.Key)
		switch {
		case a == nil:
		case a.Kind == schema.Password:
			left = true
			continue
		case a.Kind == schema.Component || a.Kind == schema.DynamicZone:
			inside, some := m.Value.instancesWithoutPasswords(site, a)
			m.Value, left = inside, left || some
		}
		kept = append(kept, m)
	}
	if !left {
		return v, false
	}
	return Object(kept...), true
}

// instancesWithoutPasswords is WithoutPasswords for the value of an attribute of
// components.
func (v Value) instancesWithoutPasswords(site *schema.Site, a *schema.Attribute) (without Value, left bool) {
	switch v.shape() {
	case jsonObject:
		component := a.ComponentType
		if a.Kind == schema.DynamicZone {
			component = v.zoneComponent(a)
		}
		if component == nil {
			return v, false
		}
		return v.WithoutPasswords(site, component)
	case jsonList:
		var items []Value
		for _, item := range v.elements() {
			inside, some := item.instancesWithoutPasswords(site, a)
			items, left = append(items, inside), left || some
		}
		if left {
			return List(items...), true
		}
	}
	return v, false
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

// Revised is the "data" of a body after somebody who was shown it without its passwords has
// returned it, changed or not. What is returned as it was shown stays as it was sent, so
// that passwords stay, and numbers that not every program can hold. The error says that the
// returned value is no object, that it gives a password, or that it changes a component
// whose password was not shown.
func (v Value) Revised(site *schema.Site, t *schema.Type, returned json.RawMessage) (Value, error) {
	object, err := Readable(site, returned)
	if err != nil {
		return Value{}, err
	}
	without, _ := v.WithoutPasswords(site, t)
	sent, shown := v.byKey(), without.byKey()
	revised := Value{json: object}.Members()
	for i := range revised {
		m := &revised[i]
		was, there := shown[m.Key]
		_, secret := Object(*m).WithoutPasswords(site, t)
		switch {
		case there && sameJSON(was, m.Value):
			m.Value = sent[m.Key]
		case secret:
			return Value{}, fmt.Errorf("%q gives a password, which cannot be set this way", m.Key)
		case there && string(was.JSON()) != string(sent[m.Key].JSON()):
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

// sameJSON reports whether two values are the same to programs that hold numbers as
// JavaScript does.
func sameJSON(a, b Value) bool {
	var x, y any
	return json.Unmarshal(a.JSON(), &x) == nil && json.Unmarshal(b.JSON(), &y) == nil && reflect.DeepEqual(x, y)
}
