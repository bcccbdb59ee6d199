package server_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"quire/schema"
)

var draftSeed = flag.Uint64("draft-seed", 1, "`SEED` of what TestNoQuestionShowsDrafts asks")

// asker makes random requests, as a caller could send to find out about drafts.
type asker struct {
	*rand.Rand
	site *schema.Site
}

// randomPath returns a path with random parameters.
func (a *asker) randomPath() string {
	roots := []struct{ path, uid string }{
		{"restaurants", "api::restaurant.restaurant"}, {"chefs", "api::chef.chef"}, {"dishes", "api::dish.dish"}, {"homepage", "api::homepage.homepage"},
		{"categories", "api::category.category"}, {"categories", "api::category.category"}, {"categories/{cat}", "api::category.category"},
		{"reviews", "api::review.review"}, {"reviews/{review}", "api::review.review"}, {"pins", "api::pin.pin"}, {"global", "api::global.global"},
		{"users", schema.UserUID}, {"users/1", schema.UserUID}, {"users/count", schema.UserUID}, {"users/me", schema.UserUID}, {"restaurants/{r1}", "api::restaurant.restaurant"},
		{"restaurants/{r3}", "api::restaurant.restaurant"}, {"chefs/{c3}", "api::chef.chef"},
		{"upload/files", schema.FileUID},
	}
	root := roots[a.IntN(len(roots))]
	t := a.site.Type(root.uid)
	if t.Route() == root.path && t.Kind == schema.Collection && a.IntN(3) == 0 {
		return a.figures(t)
	}
	var params []string
	if a.IntN(4) > 0 {
		params = append(params, "status=draft")
	}
	for range a.IntN(3) {
		switch a.IntN(8) {
		case 0, 1:
			params = append(params, "filters"+a.filter(t, 3))
		case 2, 3:
			params = append(params, a.populate("populate", t, 3)...)
		case 4:
			params = append(params, "sort="+a.path(t, 3)+[]string{"", ":desc"}[a.IntN(2)])
		case 5:
			params = append(params, "publicationFilter="+[]string{"never-published", "has-published-version", "modified", "unmodified",
				"never-published-document", "has-published-version-document", "published-without-draft", "published-with-draft"}[a.IntN(8)])
		case 6:
			params = append(params, []string{"locale=*", "locale=fr", "_q=A", "_q=1", "locale=it&fallbackLocale=fr,en", "locale=fr&fallbackLocale=en", "pagination[after]=&pagination[limit]=1", "pagination[pageSize]=1", "pagination[withCount]=false", "pagination[start]=1", "hasPublishedVersion=true", "hasPublishedVersion=false"}[a.IntN(12)])
		case 7:
			params = append(params, "fields="+a.scalar(t))
		}
	}
	if a.IntN(3) > 0 && !strings.Contains(strings.Join(params, "&"), "populate") {
		params = append(params, a.populate("populate", t, 3)...)
	}
	return "/api/" + root.path + "?" + strings.Join(params, "&")
}

// figures returns a path to aggregates of a type.
func (a *asker) figures(t *schema.Type) string {
	var params []string
	for _, one := range []string{"status=draft", "filters" + a.filter(t, 2), "_q=" + []string{"A", "1"}[a.IntN(2)], "locale=*"} {
		if a.IntN(2) == 0 {
			params = append(params, one)
		}
	}
	if a.IntN(4) == 0 {
		words := []string{"q=A1", "q=A", "q=publ", "q=a1+publ", "q=-A1", "facets=" + a.path(t, 2), "explain=1"}
		for i, one := range params {
			if strings.HasPrefix(one, "_q=") {
				params[i] = words[a.IntN(5)]
			}
		}
		return "/api/" + t.Route() + "/_search?" + strings.Join(append(params, words[5+a.IntN(2)]), "&")
	}
	if a.IntN(4) == 0 {
		return "/api/" + t.Route() + "/_count?" + strings.Join(params, "&")
	}
	for _, one := range []string{"groupBy=" + a.path(t, 2), "min=" + a.scalar(t), "max=" + a.scalar(t), "sum=" + a.scalar(t), "sort=count:desc"} {
		if a.IntN(2) == 0 {
			params = append(params, one)
		}
	}
	return "/api/" + t.Route() + "/_aggregate?" + strings.Join(params, "&")
}

func (a *asker) scalar(t *schema.Type) string {
	return a.pick(t, func(at *schema.Attribute) bool { return at.IsScalar() })
}

// pick returns the name of one of the attributes of a type.
func (a *asker) pick(t *schema.Type, wanted func(*schema.Attribute) bool) string {
	var names []string
	for _, list := range [][]*schema.Attribute{t.Attributes, t.System} {
		for _, at := range list {
			if wanted(at) && !at.Hidden() {
				names = append(names, at.Name)
			}
		}
	}
	if len(names) == 0 {
		return "id"
	}
	return names[a.IntN(len(names))]
}

// next returns a relation or component of a type, and its target; nil for none.
func (a *asker) next(t *schema.Type) (string, *schema.Type) {
	name := a.pick(t, func(at *schema.Attribute) bool {
		return at.Kind == schema.Component || at.Relation != nil && at.Relation.Target != nil
	})
	at := t.Attribute(name)
	switch {
	case at.Kind == schema.Component:
		return name, at.ComponentType
	case at.Relation != nil:
		return name, at.Relation.Target
	}
	return name, nil
}

func (a *asker) path(t *schema.Type, depth int) string {
	if depth > 0 && a.IntN(3) > 0 {
		if name, to := a.next(t); to != nil {
			return name + "." + a.path(to, depth-1)
		}
	}
	return a.scalar(t)
}

func (a *asker) filter(t *schema.Type, depth int) string {
	if a.IntN(5) == 0 {
		return []string{"[$not]", "[$or][0]", "[$and][0]"}[a.IntN(3)] + a.filter(t, depth)
	}
	if depth > 0 && a.IntN(3) > 0 {
		if name, to := a.next(t); to != nil {
			return "[" + name + "]" + a.filter(to, depth-1)
		}
	}
	return "[" + a.scalar(t) + "]" + []string{"[$null]=true", "[$notNull]=true", "[$gt]=A", "[$lt]=2", "[$contains]=1", "[$containsi]=a", "[$ne]=1", "=A1", "[$in][0]=1", "[$startsWith]=Z"}[a.IntN(10)]
}

func (a *asker) populate(at string, t *schema.Type, depth int) []string {
	switch a.IntN(10) {
	case 0, 1:
		return []string{at + "=*"}
	case 2:
		return []string{at + "[*]=2"}
	}
	name := a.pick(t, func(at *schema.Attribute) bool { return !at.IsScalar() })
	one := t.Attribute(name)
	here := at + "[" + name + "]"
	switch {
	case one.IsScalar():
		return nil
	case one.Kind == schema.DynamicZone:
		to := one.Zone[a.IntN(len(one.Zone))]
		return a.details(here+"[on]["+to.UID+"]", to, depth-1)
	case one.Relation != nil && one.Relation.Target == nil:
		to := a.site.Type([]string{"api::chef.chef", "api::restaurant.restaurant"}[a.IntN(2)])
		return a.details(here+"[on]["+to.UID+"]", to, depth-1)
	}
	to := one.ComponentType
	if one.Relation != nil {
		to = one.Relation.Target
	}
	if a.IntN(6) == 0 {
		return []string{here + "[count]=true"}
	}
	return a.details(here, to, depth-1)
}

func (a *asker) details(at string, t *schema.Type, depth int) (params []string) {
	if a.IntN(3) == 0 {
		params = append(params, at+"[filters]"+a.filter(t, 2))
	}
	if a.IntN(3) == 0 {
		params = append(params, at+"[sort]="+a.path(t, 2))
	}
	if a.IntN(4) == 0 {
		params = append(params, at+"[fields]="+a.scalar(t))
	}
	if depth > 0 && a.IntN(2) == 0 {
		params = append(params, a.populate(at+"[populate]", t, depth)...)
	}
	if len(params) == 0 {
		params = append(params, at+"=true")
	}
	return params
}

// Whatever the request, the response to a caller who may not read the drafts of a type
// stays the same to the last byte when these change.
func TestNoQuestionShowsDrafts(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	a := &asker{rand.New(rand.NewPCG(*draftSeed, 12)), s.site}
	asking := []string{"", "nobody", "none", "only-r", "not-r", "only-c", "not-c", "not-d", "not-h", "full"}
	callers := slices.DeleteFunc(slices.Clone(s.callers), func(c draftCaller) bool { return !slices.Contains(asking, c.as) })
	paths := make([]string, 60)
	for i := range paths {
		paths[i] = a.randomPath()
	}
	before := s.answers(callers, paths)
	seen := 0
	for _, letter := range []byte("cdhrrcdh") {
		s.change(letter)
		if letter == 'r' {
			s.write(204, "DELETE", "/api/restaurants/{new}", "")
		}
		after := s.answers(callers, paths)
		for what, is := range after {
			was := before[what]
			switch {
			case was == is:
			case strings.IndexByte(what.reads, letter) < 0:
				t.Errorf("-draft-seed %d: GET %s: %q, who reads drafts of %q, sees that drafts of %s changed:\n%s\n%s", *draftSeed, what.path, what.as, what.reads, draftTypes[letter], was, is)
			default:
				seen++
			}
		}
		before = after
	}
	if seen == 0 {
		t.Errorf("-draft-seed %d: nobody sees that drafts change", *draftSeed)
	}
}

// callerPath is a path and its caller.
type callerPath struct {
	draftCaller
	path string
}

// answers returns what each caller sees at each path.
func (s *draftSite) answers(callers []draftCaller, paths []string) map[callerPath]sight {
	s.t.Helper()
	all := map[callerPath]sight{}
	for _, path := range paths {
		for _, c := range callers {
			a := s.send(c.as, "GET", s.named(path), "")
			if a.status >= 500 {
				s.t.Fatalf("-draft-seed %d: GET %s: %d %s", *draftSeed, path, a.status, a.body)
			}
			a.header.Del("X-Request-Id")
			all[callerPath{c, path}] = sightOf(a)
		}
	}
	return all
}
