package server_test

import (
	"net/http"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
)

// Accounts of the admin use the content API below a mount, as in the admin.

const peoplePath = "/as/"

// receivePeople makes the site serve accounts: "/as/ada/api/dishes" is /api/dishes for the
// account called ada.
func (h *accountSite) receivePeople() {
	h.people = map[string]*auth.Caller{}
	h.server.Mount("/as", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, peoplePath), "/")
		next := r.Clone(r.Context())
		next.URL.Path = "/" + rest
		h.server.ServeAs(w, next, func() (auth.Identity, error) { return auth.Identity{Caller: h.people[name]}, nil })
	}))
}

// receive creates an account with a role.
func (h *accountSite) receive(t *testing.T, name string, role auth.AdminRole) {
	t.Helper()
	c, err := auth.NewAdminCaller(h.site, name, name, &role)
	check(t, err)
	h.people[name] = c
}

// below returns the prefix of paths for a caller.
func (h *accountSite) below(as string) string {
	if h.people[as] == nil {
		return ""
	}
	return peoplePath + as
}

// everyAction are the actions on a type that an account may have.
var everyAction = []string{"read", "create", "update", "delete", "publish", "unpublish"}

// hiddenFromAccount is hidden from the account of the twins, in addition to passwords: in a
// type, in components, in dynamic zones and their components, and behind relations.
var hiddenFromAccount = map[string][]string{
	restaurants:              {"secret_note", "story", "location.city", "opening_hours.note", "sections.by", "sections.links.href", "meta"},
	"api::chef.chef":         {"bio"},
	"api::review.review":     {"content"},
	"api::global.global":     {"default_seo"},
	"api::dish.dish":         {"photo"},
	"api::homepage.homepage": {"sections.heading"},
}

// addAccount adds an account that sees no mark. More attributes get marks, which are hidden
// from the account.
func (s *side) addAccount() {
	role := auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: everyAction}}, Files: []string{"read", "upload", "delete"}, Releases: true}
	for uid, paths := range hiddenFromAccount {
		role.Types[uid] = auth.TypeRights{Actions: everyAction, Hidden: paths}
	}
	role.Types[schema.UserUID] = auth.TypeRights{Actions: []string{"read", "create", "update", "delete"}, Hidden: []string{"confirmed"}}
	s.receive(s.t, "account", role)
	put := func(path, data string) {
		s.t.Helper()
		s.want(200, s.send("full", "PUT", s.path(path), `{"data": `+s.path(strings.ReplaceAll(data, "MARK", s.mark))+`}`))
	}
	put("/api/chefs/{api::chef.chef}", `{"bio": "MARK"}`)
	put("/api/reviews/{api::review.review}", `{"content": "MARK"}`)
	put("/api/homepage", `{"title": "t", "hero": {"label": "l", "href": "shown"}, "sections": [{"__component": "section.related", "heading": "MARK", "links": [{"label": "l", "href": "shown"}]}]}`)
	put("/api/global", `{"site_name": "t", "default_seo": {"meta_title": "MARK"}}`)
	put("/api/restaurants/{"+restaurants+"}", `{"story": "MARK", "meta": {"x": "MARK"}, "location": {"street": "s", "city": "MARK", "geo": {"lat": 1, "lng": 2}},
		"sections": [{"__component": "section.quote", "text": "q", "by": "MARK", "chef": "{api::chef.chef}"}, {"__component": "section.related", "heading": "h", "restaurants": ["{`+restaurants+`}"], "links": [{"label": "l", "href": "MARK"}]}]}`)
}

// ways lists what is hidden from a caller: see waysFor.
func (w *twins) ways(as string, t *schema.Type) []way {
	if c := w.sides[0].people[as]; c != nil {
		if !c.Allows(t, schema.Find) {
			return nil
		}
		return waysFor(c, t, c.Sight(t), nil, 2)
	}
	return waysTo(t, nil, 2)
}

// waysFor lists the paths from records of a type at one place to all attributes that are
// hidden there from a caller, with a maximum number of relations, components and zones.
func waysFor(access schema.Access, t *schema.Type, sight *schema.Sight, hops []hop, most int) []way {
	var ways []way
	for _, a := range t.Attributes {
		if !sight.Sees(a) {
			ways = append(ways, way{hops, a})
			continue
		}
		if len(hops) == most {
			continue
		}
		follow := func(to *schema.Type, inside *schema.Sight, zone *schema.Type) {
			ways = append(ways, waysFor(access, to, inside, append(hops[:len(hops):len(hops)], hop{a, zone}), most)...)
		}
		switch {
		case a.Relation != nil && a.Relation.Target != nil:
			if a.Kind == schema.Media || access.Allows(a.Relation.Target, schema.Find) {
				follow(a.Relation.Target, access.Sight(a.Relation.Target), nil)
			}
		case a.ComponentType != nil:
			follow(a.ComponentType, sight.Within(a), nil)
		}
		for _, component := range a.Zone {
			follow(component, sight.Within(a), component)
		}
	}
	return ways
}

// anybody is a caller of the content API who may do everything.
type anybody struct{ schema.Unlimited }

func (anybody) Allows(*schema.Type, schema.Action) bool { return true }

// openTwinsFor opens twins in which a caller, "full" or "account", sees no mark.
func openTwinsFor(t *testing.T, as string) *twins {
	w := openTwins(t)
	if as == "account" {
		for _, s := range w.sides {
			s.addAccount()
		}
	}
	return w
}

// forEach runs a test on twins for each caller who must see no mark.
func forEach(t *testing.T, test func(t *testing.T, w *twins, as string)) {
	for _, as := range []string{"full", "account"} {
		t.Run(as, func(t *testing.T) { test(t, openTwinsFor(t, as), as) })
	}
}
