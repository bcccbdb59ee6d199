package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// suits returns why a stored value does not fit the attribute to which it moves.
func (v *mover) suits(value store.Value) error {
	if !body.Fits(v.to, value.Kind) {
		return fmt.Errorf("it is no %s", v.to.Kind)
	}
	switch value.Kind {
	case store.Instances:
		return v.suitInstances(value.Instances)
	case store.Edges:
		return v.suitEdges(value.Edges)
	}
	return suitScalar(v.to, value)
}

// suitScalar requires that the value would be stored unchanged if it were written
// again.
func suitScalar(a *schema.Attribute, value store.Value) error {
	if a.Kind == schema.Password || isHash(value) {
		if a.Kind == schema.Password && isHash(value) {
			return nil
		}
		return errors.New("passwords can only move to passwords, and nothing else to them")
	}
	return body.CheckRewrite(a, value)
}

// isHash reports whether a text is the stored form of a password.
func isHash(value store.Value) bool {
	return value.Kind == store.Text && slices.ContainsFunc([]string{"$argon2", "$2a$", "$2b$", "$2y$"}, func(begin string) bool {
		return strings.HasPrefix(value.Text, begin)
	})
}

func (v *mover) suitInstances(instances []store.Instance) error {
	if len(instances) > 1 && !v.to.IsList() {
		return fmt.Errorf("it holds %d components, and %s holds one", len(instances), v.To)
	}
	for _, r := range instances {
		allowed := v.to.Zone
		if v.to.Kind == schema.Component {
			allowed = []*schema.Type{v.to.ComponentType}
		}
		if !slices.ContainsFunc(allowed, func(t *schema.Type) bool { return t.UID == r.Component }) {
			return fmt.Errorf("%s does not take the component %s", v.To, r.Component)
		}
	}
	return nil
}

func (v *mover) suitEdges(edges []store.Edge) error {
	if len(edges) > 1 && !v.to.Relation.Many() {
		return fmt.Errorf("it holds %d links, and %s holds one", len(edges), v.To)
	}
	for _, e := range edges {
		if v.to.Relation.Morph() != (e.Type != "") {
			return fmt.Errorf("its links are not stored as those of a %s relation are", v.to.Relation.Form)
		}
		if v.found {
			continue
		}
		var err error
		if v.found, err = v.leads(e); err != nil {
			return err
		}
		if !v.found {
			v.lost++
		}
	}
	return nil
}

// leads reports whether the document at the end of a link exists, in any version.
func (v *mover) leads(e store.Edge) (bool, error) {
	uid := e.Type
	if uid == "" {
		uid = v.to.Relation.Target.UID
	}
	locales := []string{""}
	for _, l := range v.site.Settings.Locales {
		locales = append(locales, l.Code)
	}
	for _, locale := range locales {
		for _, status := range []store.Status{store.Draft, store.Published} {
			found, err := v.tx.Entry(uid, store.Key{DocumentID: e.Target, Locale: locale, Status: status})
			if err != nil || found != nil {
				return found != nil, err
			}
		}
	}
	return false, nil
}
