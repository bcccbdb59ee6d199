package query

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// sighted may do everything, and sees of some types what its sights say.
type sighted struct {
	everything
	sights map[string]*schema.Sight
}

func (s sighted) Sight(t *schema.Type) *schema.Sight {
	if one := s.sights[t.UID]; one != nil {
		return one
	}
	return schema.WholeSight()
}

const restaurantUID, chefUID = "api::restaurant.restaurant", "api::chef.chef"

// hiding is a caller from whom paths of types are hidden.
func hiding(t *testing.T, site *schema.Site, hidden map[string][]string) sighted {
	t.Helper()
	s := sighted{sights: map[string]*schema.Sight{}}
	for uid, paths := range hidden {
		one, err := schema.NewSight(site.Type(uid), paths, nil)
		check(t, err)
		s.sights[uid] = one
	}
	return s
}

// TestHiddenFromARole names every attribute that a role hides, in every parameter, on
// every way that leads to it: in the type, in a component of it, two components deep, and
// in a dynamic zone.
func TestHiddenFromARole(t *testing.T) {
	site := loadSite(t)
	c := NewCompiler(site)
	for _, uid := range []string{restaurantUID, chefUID} {
		root := site.Type(uid)
		for _, way := range waysToComponents(root, nil, 2) {
			of := root
			if len(way) > 0 {
				of = way[len(way)-1].to
			}
			for _, a := range of.Attributes {
				access := hiding(t, site, map[string][]string{uid: {pathOf(way, a)}})
				requested := 0
				for _, from := range []*schema.Type{root, site.Type("api::dish.dish"), site.Type("api::review.review")} {
					for _, before := range waysTo(from, root, 1) {
						requested += refuseAll(t, c, access, from, append(before[:len(before):len(before)], way...), a)
					}
				}
				if requested == 0 {
					t.Errorf("%s of %s was not asked for", pathOf(way, a), uid)
				}
			}
		}
	}
}

func pathOf(way []hop, a *schema.Attribute) string {
	path := ""
	for _, h := range way {
		path += h.a.Name + "."
	}
	return path + a.Name
}

// waysToComponents are the ways of at most limit steps into the components of a type,
// with the one to the type itself.
func waysToComponents(t *schema.Type, way []hop, limit int) [][]hop {
	ways := [][]hop{way}
	if limit == 0 {
		return ways
	}
	for _, a := range t.Attributes {
		inside := a.Zone
		if a.ComponentType != nil {
			inside = []*schema.Type{a.ComponentType}
		}
		for _, to := range inside {
			ways = append(ways, waysToComponents(to, append(way[:len(way):len(way)], hop{a, to}), limit-1)...)
		}
	}
	return ways
}

// A role that hides nothing names what is private: whoever sees an attribute may filter
// and sort by it. Passwords stay hidden.
func TestPrivateAttributesInAWholeSight(t *testing.T) {
	site := loadSite(t)
	c := NewCompiler(site)
	for _, query := range []string{"fields=secret_note", "sort=secret_note", "filters[secret_note]=x", "filters[opening_hours][note]=x", "groupBy=secret_note"} {
		n, err := params.Parse(query, params.Limits{})
		check(t, err)
		if _, err := c.Compile(site.Type(restaurantUID), n, sighted{}, Options{}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if _, err := c.CompileAggregate(site.Type(restaurantUID), n.Without("fields", "sort"), sighted{}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	refuseAll(t, c, sighted{}, site.Type(restaurantUID), nil, site.Type(restaurantUID).Attribute("door_code"))
}

// What a role hides shows in no answer: a component's attribute is hidden where it is
// reached by the role's path, and shown elsewhere.
func TestAnswersByRole(t *testing.T) {
	site := loadSite(t)
	c, x := NewCompiler(site), emptyIndex(t, site)
	g := &guideMaker{t: t, edit: x.Edit()}
	hours := func(note string) store.Value {
		return store.Value{Kind: store.Instances, Instances: []store.Instance{{ID: 1, Component: "place.hours", Fields: store.Fields{{Name: "day", Value: text("mon")}, {Name: "note", Value: text(note)}}}}}
	}
	g.put("chef", "", store.Published, "chef", store.Field{Name: "name", Value: text("Ada")}, store.Field{Name: "bio", Value: text("BIO")})
	g.put("restaurant", "en", store.Published, "rest", store.Field{Name: "name", Value: text("One")}, store.Field{Name: "secret_note", Value: text("NOTE")},
		store.Field{Name: "door_code", Value: text("CODE")}, store.Field{Name: "opening_hours", Value: hours("HOURS")}, store.Field{Name: "chef", Value: edges(&g.place, "chef")})
	g.edit.Publish(store.CommitID{Revision: 1})
	for _, one := range []struct {
		hidden map[string][]string
		shown  string
	}{
		{nil, "NOTE HOURS BIO"},
		{map[string][]string{restaurantUID: {"secret_note"}}, "HOURS BIO"},
		{map[string][]string{restaurantUID: {"opening_hours.note"}}, "NOTE BIO"},
		{map[string][]string{restaurantUID: {"opening_hours"}}, "NOTE BIO"},
		{map[string][]string{chefUID: {"bio"}}, "NOTE HOURS"},
		{map[string][]string{restaurantUID: {"chef", "secret_note"}}, "HOURS"},
	} {
		access := hiding(t, site, one.hidden)
		for _, query := range []string{"populate=*", "populate[*]=3", "populate[opening_hours]=true&populate[chef]=true", "populate=*&fields=*"} {
			n, err := params.Parse(query, params.Limits{})
			check(t, err)
			if one.hidden != nil && strings.Contains(query, "chef") {
				continue // naming what is hidden is refused
			}
			q, err := c.Compile(site.Type(restaurantUID), n, access, Options{})
			if err != nil {
				t.Fatal(query, err)
			}
			answer, err := q.AppendList(context.Background(), x.Snapshot(), nil)
			if err != nil || !json.Valid(answer) {
				t.Fatal(query, err, string(answer))
			}
			for _, word := range []string{"NOTE", "HOURS", "BIO", "CODE"} {
				if got, want := strings.Contains(string(answer), word), strings.Contains(one.shown, word); got != want {
					t.Errorf("%v, %s: shows %s: %t in %s", one.hidden, query, word, got, answer)
				}
			}
		}
	}
}

// _q looks into what the caller sees, private attributes included, and into nothing else.
func TestSearchByRole(t *testing.T) {
	site := loadSite(t)
	c, x := NewCompiler(site), emptyIndex(t, site)
	g := &guideMaker{t: t, edit: x.Edit()}
	g.put("restaurant", "en", store.Published, "rest", store.Field{Name: "name", Value: text("One")}, store.Field{Name: "secret_note", Value: text("needle")})
	g.edit.Publish(store.CommitID{Revision: 1})
	for _, one := range []struct {
		access schema.Access
		found  bool
	}{{everything{}, false}, {sighted{}, true}, {hiding(t, site, map[string][]string{restaurantUID: {"secret_note"}}), false}} {
		n, _ := params.Parse("_q=needle&sort=_rank", params.Limits{})
		q, err := c.Compile(site.Type(restaurantUID), n, one.access, Options{})
		check(t, err)
		answer, err := q.AppendList(context.Background(), x.Snapshot(), nil)
		if err != nil || strings.Contains(string(answer), `"rest"`) != one.found {
			t.Errorf("%+v: %s %v", one.access, answer, err)
		}
	}
}
