package migrate

import (
	"fmt"
	"slices"

	"quire/content"
	"quire/content/body"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// rules tallies the rules of the new site that an entry breaks and did not break in the
// former site. Drafts are only compared with the rules for drafts, as in writes.
func (v *evolver) rules(uid string, before, after *store.Entry) {
	s := v.side(uid)
	if after == nil || s.to == nil || s.to.IsComponent() {
		return
	}
	if _, aside := schema.AsideOf(after.Locale); aside {
		return
	}
	c := ruleCheck{v: v, strict: after.Status == store.Published, own: map[uniqueValue]bool{}, entry: after}
	at := verify.Spot{Name: store.Name{Type: uid, Key: after.Key()}}
	c.fields(s, uid, before.Fields, after.Fields, nil, at)
	if s.from != nil && s.from.Localized && s.to.Localized {
		v.shared(s, uid, before, at)
	}
}

// shared tallies values that differ between the locales of a document, if the locales
// share them from now on.
func (v *evolver) shared(s side, uid string, e *store.Entry, at verify.Spot) {
	main := v.To.Settings.DefaultLocale
	if e.Locale == main {
		return
	}
	var first *store.Entry
	for _, to := range s.to.Attributes {
		stored := v.storedName(uid, to.Name)
		from := declared(s.from, stored)
		if from == nil || from.IsShared() || !to.IsShared() {
			continue
		}
		if first == nil {
			var err error
			first, err = v.tx.Entry(v.storedUID(uid), store.Key{DocumentID: e.DocumentID, Locale: main, Status: e.Status})
			if err != nil || first == nil {
				return // the scan reports damage; without the entry, nothing differs
			}
		}
		if value := e.Value(stored); !value.EqualButIDs(first.Value(stored)) {
			v.tally.add(Failing, at.Attribute(to.Name), "it differs from that in "+main+", and locales share it: the next write in one of them carries its value to the others", v.example(attribute{from, to}, value))
		}
	}
}

// ruleCheck compares one entry with the rules.
type ruleCheck struct {
	v      *evolver
	entry  *store.Entry
	strict bool
	own    map[uniqueValue]bool
}

func (c *ruleCheck) fields(s side, uid string, before, after store.Fields, top *schema.Attribute, at verify.Spot) {
	for _, to := range s.to.Attributes {
		stored := c.v.storedName(uid, to.Name)
		_, a := c.v.attribute(s, uid, stored)
		a.to = to
		old, value, here := before.Value(stored), after.Value(to.Name), at.Attribute(to.Name)
		if body.Visible(to, after) {
			c.attribute(a, old, value, here)
		}
		first := top
		if first == nil {
			first = to
		}
		c.uniqueness(a, first, old, value, here)
		for _, r := range value.Instances {
			if inner := c.v.side(r.Component); inner.to != nil && inner.to.IsComponent() {
				c.fields(inner, r.Component, instanceOf(old, r.ID), r.Fields, first, here)
			}
		}
	}
}

// instanceOf returns the fields of the component with that former id.
func instanceOf(value store.Value, id uint64) store.Fields {
	i := slices.IndexFunc(value.Instances, func(r store.Instance) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return value.Instances[i].Fields
}

// storedName returns the former name of an attribute.
func (v *evolver) storedName(uid, name string) string {
	for _, r := range v.Attributes {
		if r.Type == uid && r.New == name {
			return r.Old
		}
	}
	return name
}

// attribute tallies the rules that a value breaks and did not break before.
func (c *ruleCheck) attribute(a attribute, old, value store.Value, at verify.Spot) {
	broken := c.broken(a.to, value)
	if len(broken) == 0 {
		return
	}
	var known []string
	if a.from != nil {
		known = c.broken(a.from, old)
	}
	for _, message := range broken {
		if !slices.Contains(known, message) {
			c.v.tally.add(Failing, at, message, c.v.example(a, value))
		}
	}
}

// broken returns the messages about a value of an attribute.
func (c *ruleCheck) broken(a *schema.Attribute, value store.Value) (messages []string) {
	var found body.Issues
	at := body.At(a.Name)
	switch {
	case a.Relation != nil:
	case a.IsList():
		return c.brokenList(a, len(value.Instances))
	case a.Kind == schema.Component:
		if c.strict && a.Required && value.IsEmpty() {
			return []string{a.Name + " must be defined."}
		}
	case c.strict && value.IsEmpty() && a.Required:
		return []string{a.Name + " must be defined."}
	case c.strict:
		body.CheckPublished(a, value, at, &found)
	case !value.IsEmpty() && body.Fits(a, value.Kind):
		body.CheckLimits(a, value, at, false, &found)
	}
	for i := range found {
		found[i].Conceal()
		messages = append(messages, found[i].Message)
	}
	return messages
}

func (c *ruleCheck) brokenList(a *schema.Attribute, n int) (messages []string) {
	if c.strict && a.MinItems != nil && n < *a.MinItems && (n > 0 || a.Required) {
		messages = append(messages, fmt.Sprintf("%s field must have at least %d items", a.Name, *a.MinItems))
	}
	if a.MaxItems != nil && n > *a.MaxItems {
		messages = append(messages, fmt.Sprintf("%s field must have less than or equal to %d items", a.Name, *a.MaxItems))
	}
	return messages
}

// uniqueValue is a value at an attribute of an entry or below one, in one locale.
type uniqueValue struct {
	top, last *schema.Attribute
	kind      store.ValueKind
	num       int64
	real      float64
	text      string
	locale    string
}

// uniqueValues are the values of published entries, each with the first document that has
// it.
type uniqueValues struct{ first map[uniqueValue]string }

// uniqueness tallies a value that another document has too, if that was allowed before or
// is new.
func (c *ruleCheck) uniqueness(a attribute, top *schema.Attribute, old, value store.Value, at verify.Spot) {
	held := a.from != nil && a.from.Unique && old.Equal(value)
	if c.v.unique == nil || !c.strict || !a.to.Unique || !a.to.IsScalar() || value.IsEmpty() || held {
		return
	}
	u := uniqueValue{top, a.to, value.Kind, value.Num, value.Real, value.Text, c.entry.Locale}
	first, taken := c.v.unique.first[u]
	if !taken {
		c.v.unique.first[u] = c.entry.DocumentID
	} else if first != c.entry.DocumentID || c.own[u] {
		x := c.v.example(a, value)
		x.Why = first + " has it too"
		c.v.tally.add(Failing, at, content.NotUnique, x)
	}
	c.own[u] = true
}
