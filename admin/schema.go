package admin

import (
	"net/http"
	"slices"
	"strings"

	"quire/auth"
	"quire/content/arrange"
	"quire/content/review"
	"quire/schema"
)

// The schema for the pages of the admin: what the account may see, what it may do, and the
// default layout of lists and forms.

func schemaRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/schema", handler: showSchema, summary: "The site as the account sees it", out: siteOf{}}}
}

// siteOf is the site as an account sees it.
type siteOf struct {
	Name           string        `json:"name"`
	Locales        []localeOf    `json:"locales"`
	History        bool          `json:"history"`
	MaxUploadBytes int64         `json:"maxUploadBytes"`
	Types          []typeOf      `json:"types"`
	Users          *typeOf       `json:"users"` // of the site; null for accounts that may not read them
	Components     []componentOf `json:"components"`
	Files          []string      `json:"files"`
	Releases       bool          `json:"releases"` // whether the account may plan releases
	Model          *modelOf      `json:"model"`    // the language model that makes suggestions; null for none
}

// modelOf is the language model of the site.
type modelOf struct {
	Name     string `json:"name"`
	Pictures bool   `json:"pictures"` // it looks at pictures
}

type localeOf struct {
	Code      string `json:"code"`
	Name      string `json:"name"`
	IsDefault bool   `json:"isDefault"`
}

// typeOf is a content type as an account sees it.
type typeOf struct {
	UID             string        `json:"uid"`
	Kind            string        `json:"kind"`
	Singular        string        `json:"singularName"`
	Plural          string        `json:"pluralName"`
	Display         string        `json:"displayName"`
	Description     string        `json:"description,omitempty"`
	Route           string        `json:"route"`
	DraftAndPublish bool          `json:"draftAndPublish"`
	Localized       bool          `json:"localized"`
	Attributes      []attributeOf `json:"attributes"`
	MainField       string        `json:"mainField"`
	Layout          layoutOf      `json:"layout"`
	May             []string      `json:"may"`
	Own             bool          `json:"own"`            // only documents that the account has created may be changed
	Locales         []string      `json:"locales"`        // that may be changed; null for all
	Ways            []wayOf       `json:"ways,omitempty"` // of an account with several roles whose limits differ; one of them must allow a change
	Preview         bool          `json:"preview"`
	StateKey        string        `json:"stateKey"`         // of entries that are read with include=state
	Stages          []stageName   `json:"stages,omitempty"` // of its review, if the account sees drafts
}

// stageName is a stage of the review of a type.
type stageName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// wayOf is what one role of an account lets it change of a type.
type wayOf struct {
	Actions []schema.Action `json:"actions"`
	Own     bool            `json:"own"`
	Locales []string        `json:"locales"` // null for all
}

// componentOf is a component as an account sees it: the attributes that it sees in some
// type.
type componentOf struct {
	UID        string        `json:"uid"`
	Category   string        `json:"category"`
	Display    string        `json:"displayName"`
	Icon       string        `json:"icon,omitempty"`
	Attributes []attributeOf `json:"attributes"`
	MainField  string        `json:"mainField"`
	Layout     layoutOf      `json:"layout"`
}

func showSchema(x *request) error {
	v := &schemaView{site: x.admin.Server.Site(x.http), caller: x.session.Identity().Caller, components: map[*schema.Type]map[string]bool{}}
	var err error
	if v.arranged, err = x.arranged(v.site); err != nil {
		return err
	}
	if v.workflows, err = x.admin.Reviews.Workflows(); err != nil {
		return err
	}
	return x.data(v.all(x.admin.Name))
}

// schemaView makes the schema for one account.
type schemaView struct {
	site       *schema.Site
	caller     *auth.Caller
	components map[*schema.Type]map[string]bool // the visible attributes of each, in any place
	arranged   map[*schema.Type]*arrange.Arrangement
	workflows  map[string]*review.Workflow
}

func (v *schemaView) all(name string) *siteOf {
	settings := &v.site.Settings
	s := &siteOf{
		Name: name, History: settings.History.Versions > 0 && settings.History.Age > 0, MaxUploadBytes: settings.Upload.SizeLimit,
		Locales: localesOf(settings), Types: []typeOf{}, Components: []componentOf{}, Files: v.files(), Releases: v.caller.HasPermission(auth.UpdateRelease),
	}
	if m := settings.Admin.Model; m != nil {
		s.Model = &modelOf{m.Name, m.Pictures}
	}
	users := v.site.Type(schema.UserUID)
	types := slices.DeleteFunc(append(slices.Collect(v.site.Served()), users), func(t *schema.Type) bool { return !v.caller.Allows(t, schema.Find) })
	for _, t := range types {
		for _, a := range v.seen(t, v.caller.Sight(t)) {
			v.enter(a, v.caller.Sight(t).Within(a))
		}
	}
	for _, t := range types {
		if shown := v.contentType(t); t == users {
			s.Users = &shown
		} else {
			s.Types = append(s.Types, shown)
		}
	}
	for _, t := range v.site.Components {
		if seen := v.components[t]; seen != nil {
			s.Components = append(s.Components, v.component(t, seen))
		}
	}
	return s
}

// files returns what the account may do with files.
func (v *schemaView) files() []string {
	return v.allowed(map[string]auth.Permission{"read": auth.FindFiles, "upload": auth.Upload, "delete": auth.DeleteFile})
}

// mayUsers returns what the account may do with the users of the site.
func (v *schemaView) mayUsers() []string {
	return v.allowed(map[string]auth.Permission{"read": auth.FindUsers, "create": auth.CreateUser, "update": auth.UpdateUser, "delete": auth.DeleteUser})
}

// allowed returns the names of the permissions that the account has.
func (v *schemaView) allowed(named map[string]auth.Permission) []string {
	may := []string{}
	for _, name := range []string{"read", "create", "update", "upload", "delete"} {
		if p, ok := named[name]; ok && v.caller.HasPermission(p) {
			may = append(may, name)
		}
	}
	return may
}

func (v *schemaView) contentType(t *schema.Type) typeOf {
	sight := v.caller.Sight(t)
	seen := v.seen(t, sight)
	_, previewed := v.site.Settings.Previews[t.UID]
	shown := typeOf{
		UID: t.UID, Kind: "collectionType", Singular: t.Singular, Plural: t.Plural, Display: t.Display, Description: t.Description, Route: t.Route(),
		DraftAndPublish: t.DraftAndPublish, Localized: t.Localized, Attributes: v.attributes(t, seen, sight),
		MainField: t.Title(sight.Sees).Name, May: v.may(t), Preview: previewed && v.allows(t, schema.PreviewLink), StateKey: t.StateKey(),
	}
	if t.Kind == schema.Single {
		shown.Kind = "singleType"
	}
	if w := v.workflows[t.UID]; w != nil && seesReviews(v.caller, t) {
		for _, s := range w.Stages {
			shown.Stages = append(shown.Stages, stageName{s.ID, s.Name})
		}
	}
	if r := v.caller.Reach(t); r != nil {
		shown.Own, shown.Locales = r.Own, r.Locales
		for _, w := range r.Ways {
			shown.Ways = append(shown.Ways, wayOf{w.Actions, w.Own, w.Locales})
		}
	}
	shown.Layout = layOut(t, seen, shown.MainField, v.arranged[t])
	return shown
}

// enter collects the visible attributes of the components in an attribute.
func (v *schemaView) enter(a *schema.Attribute, sight *schema.Sight) {
	for _, t := range componentsIn(a) {
		known, more := v.components[t], false
		if known == nil {
			known = map[string]bool{}
			v.components[t] = known
		}
		seen := v.seen(t, sight)
		for _, inner := range seen {
			more = more || !known[inner.Name]
			known[inner.Name] = true
		}
		if !more && !sight.Limited() {
			continue // already collected
		}
		for _, inner := range seen {
			v.enter(inner, sight.Within(inner))
		}
	}
}

// componentsIn returns the components that an attribute can hold.
func componentsIn(a *schema.Attribute) []*schema.Type {
	if a.ComponentType != nil {
		return []*schema.Type{a.ComponentType}
	}
	return a.Zone
}

// component shows a component with the attributes that are visible in any place. Each place
// has a list of what is hidden or read-only there.
func (v *schemaView) component(t *schema.Type, names map[string]bool) componentOf {
	var seen []*schema.Attribute
	for _, a := range t.Attributes {
		if names[a.Name] {
			seen = append(seen, a)
		}
	}
	category, _, _ := strings.Cut(t.UID, ".")
	main := t.Title(func(a *schema.Attribute) bool { return names[a.Name] && a.Kind != schema.Password }).Name
	return componentOf{UID: t.UID, Category: category, Display: t.Display, Icon: t.Icon, Attributes: v.attributes(t, seen, schema.WholeSight()), MainField: main, Layout: layOut(t, seen, main, v.arranged[t])}
}

// seen returns the attributes at a place that the account sees, and passwords, which it may
// set without seeing them. A relation is visible if its target type is.
func (v *schemaView) seen(t *schema.Type, sight *schema.Sight) (seen []*schema.Attribute) {
	for _, a := range t.Attributes {
		sees := sight.Sees(a) || a.Kind == schema.Password && sight.Sets(a)
		leads := a.Kind != schema.RelationKind || a.Relation.Target == nil || v.caller.Allows(a.Relation.Target, schema.Find)
		if sees && leads {
			seen = append(seen, a)
		}
	}
	return seen
}

func (v *schemaView) allows(t *schema.Type, actions ...schema.Action) bool {
	return slices.ContainsFunc(actions, func(a schema.Action) bool {
		return slices.Contains(t.Actions(), a) && v.caller.Allows(t, a)
	})
}

// may returns what the account may do with documents of a type. The first update creates
// the document of a single type.
func (v *schemaView) may(t *schema.Type) []string {
	if t.UID == schema.UserUID {
		return v.mayUsers()
	}
	create, update := []schema.Action{schema.Create, schema.CreateDraft}, []schema.Action{schema.Update, schema.UpdateDraft}
	if t.Kind == schema.Single {
		create = update
	}
	may := []string{"read"}
	for _, one := range []struct {
		name    string
		actions []schema.Action
	}{{"create", create}, {"update", update}, {"delete", []schema.Action{schema.Delete}}, {"publish", []schema.Action{schema.Publish}}, {"unpublish", []schema.Action{schema.Unpublish}}} {
		if v.allows(t, one.actions...) {
			may = append(may, one.name)
		}
	}
	return may
}
