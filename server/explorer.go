package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"quire/schema"
	"quire/server/describe"
)

// explorable is the data from which the page at /api/docs builds queries: the site as one
// caller may see it. It has no attribute that the caller may not see, no relation to a type
// that it may not find, and no route that it may not call.
type explorable struct {
	Caller  string                        `json:"caller"`
	Plan    bool                          `json:"plan"` // whether the caller may see plans, see wantsPlan
	Locales []string                      `json:"locales,omitempty"`
	Types   []explorableType              `json:"types"`
	Shapes  map[string][]explorableMember `json:"shapes"` // the members of the records at a place, by name
	Routes  []string                      `json:"routes"` // "GET /api/dishes/{documentId}"
	GraphQL bool                          `json:"graphql,omitempty"`
	access  schema.Access
	names   map[explorablePlace]string
}

// explorableType is a content type for which the caller may call some route.
type explorableType struct {
	UID       string `json:"uid"`
	Name      string `json:"name"`
	Tag       string `json:"tag"` // of its operations in the description
	Path      string `json:"path"`
	Single    bool   `json:"single,omitempty"`
	Find      bool   `json:"find,omitempty"`
	FindOne   bool   `json:"findOne,omitempty"`
	Versions  bool   `json:"versions,omitempty"` // whether it has drafts
	Drafts    bool   `json:"drafts,omitempty"`   // whether the caller may read them
	Localized bool   `json:"localized,omitempty"`
	Shape     string `json:"shape"`
}

// explorableMember is an attribute that a query can use.
type explorableMember struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Values []string `json:"values,omitempty"` // of an enumeration
	Shape  string   `json:"shape,omitempty"`  // of the target of a relation or a component
	Many   bool     `json:"many,omitempty"`
	Zone   []string `json:"zone,omitempty"`   // uids of components
	Shapes []string `json:"shapes,omitempty"` // of these
}

// explorablePlace is where records are. A component can have different visible members in
// two types.
type explorablePlace struct {
	t     *schema.Type
	sight *schema.Sight
}

// explore answers GET /api/docs/types.
func explore(x *request) error {
	site := x.site.schema
	e := &explorable{
		Caller: x.identity.String(), Plan: x.caller.Full(), Types: []explorableType{}, Shapes: map[string][]explorableMember{}, Routes: []string{}, GraphQL: x.site.graphql != nil,
		access: x.caller, names: map[explorablePlace]string{},
	}
	callable := map[string]bool{}
	for _, r := range Routes(site) {
		if r.Open || r.isFor(x.caller) {
			callable[r.Permission.UID] = true
			e.Routes = append(e.Routes, r.Method+" "+describe.PathTemplate(r.Path))
		}
	}
	localized := false
	for t := range site.Served() {
		if callable[t.UID] {
			e.Types = append(e.Types, e.contentType(t))
			localized = localized || t.Localized
		}
	}
	for _, l := range site.Settings.Locales {
		if localized {
			e.Locales = append(e.Locales, l.Code)
		}
	}
	answer, err := json.Marshal(e)
	if err != nil {
		return err
	}
	x.json(http.StatusOK, answer)
	return nil
}

func (e *explorable) contentType(t *schema.Type) explorableType {
	may := func(a schema.Action) bool { return e.access.Allows(t, a) }
	known := explorableType{
		UID: t.UID, Name: t.Display, Tag: t.Singular, Path: "/api/" + t.Route(), Single: t.Kind == schema.Single,
		Find: may(schema.Find), FindOne: may(schema.FindOne),
		Versions: t.DraftAndPublish, Drafts: t.DraftAndPublish && may(schema.ReadDraft), Localized: t.Localized,
	}
	if known.Find || known.FindOne {
		known.Shape = e.shape(t, e.access.Sight(t))
	}
	return known
}

// shape returns the name of the members of the records at a place, and adds them the first
// time.
func (e *explorable) shape(t *schema.Type, sight *schema.Sight) string {
	at := explorablePlace{t, sight}
	if name, known := e.names[at]; known {
		return name
	}
	name := t.UID
	for n := 2; e.Shapes[name] != nil; n++ {
		name = fmt.Sprintf("%s %d", t.UID, n)
	}
	e.names[at], e.Shapes[name] = name, []explorableMember{}
	members := []explorableMember{}
	for _, a := range slices.Concat(t.Attributes, t.System) {
		if sight.Sees(a) {
			if m, ok := e.member(a, sight.Within(a)); ok {
				members = append(members, m)
			}
		}
	}
	e.Shapes[name] = members
	return name
}

// member returns what a query can do with an attribute; false if the caller may not use it.
func (e *explorable) member(a *schema.Attribute, inside *schema.Sight) (explorableMember, bool) {
	m := explorableMember{Name: a.Name, Kind: a.Kind.String(), Values: a.Enum, Many: a.IsList()}
	switch {
	case a.Relation != nil:
		m.Many = a.Relation.Many()
		to := a.Relation.Target
		if to == nil {
			return m, true
		}
		if a.Kind != schema.Media && !e.access.Allows(to, schema.Find) {
			return m, false
		}
		m.Shape = e.shape(to, e.access.Sight(to))
	case a.ComponentType != nil:
		m.Shape = e.shape(a.ComponentType, inside)
	}
	for _, component := range a.Zone {
		m.Zone = append(m.Zone, component.UID)
		m.Shapes = append(m.Shapes, e.shape(component, inside))
	}
	return m, true
}
