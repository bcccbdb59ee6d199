package server_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
)

// Private attributes and passwords are in no response and affect none. Two sites that
// differ only in these must look the same to everybody: each test here asks both.

// twins are two sites that differ only in hidden values.
type twins struct {
	t     *testing.T
	site  *schema.Site
	sides [2]*side
}

// side is one of the two sites, with the values for its paths.
type side struct {
	*accountSite
	mark string            // part of every hidden value
	ids  map[string]string // of one document of each type, by uid
}

func openTwins(t *testing.T) *twins {
	w := &twins{t: t}
	for i, mark := range []string{"HIDDENaaaa", "HIDDENzzzz"} {
		h := openAccountSite(t, os.DirFS("../testdata/site"), options{GraphQL: true, MCP: true})
		h.receivePeople()
		w.sides[i] = &side{h, mark, map[string]string{}}
		w.sides[i].fill()
		w.site = h.site
	}
	return w
}

// fill creates a document of each type, with links to each other and to a user, and with
// the mark in every hidden attribute.
func (s *side) fill() {
	user := s.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "`+s.mark+`"}`)
	s.tokens["ana"] = user.text(s.t, "jwt")
	s.ids[schema.UserUID] = user.text(s.t, "user.id")
	s.ids[schema.RoleUID], s.ids[schema.FileUID] = "1", "1"
	s.make("category", "/api/categories", `{"name": "cat"}`)
	s.make("chef", "/api/chefs", `{"name": "chef"}`)
	s.make("dish", "/api/dishes", `{"name": "dish"}`)
	s.make("restaurant", "/api/restaurants", `{"name": "rest", "secret_note": "`+s.mark+`", "door_code": "`+s.mark+`",
		"opening_hours": [{"day": "mon", "note": "`+s.mark+`"}], "categories": ["`+s.ids["api::category.category"]+`"], "chef": "`+s.ids["api::chef.chef"]+`",
		"sections": [{"__component": "section.quote", "text": "q", "chef": "`+s.ids["api::chef.chef"]+`"}]}`)
	s.make("review", "/api/reviews", `{"note": 1, "restaurant": "`+s.ids["api::restaurant.restaurant"]+`", "author": `+s.ids[schema.UserUID]+`}`)
	for _, path := range []string{"/api/homepage", "/api/global"} {
		s.want(200, s.send("full", "PUT", path, `{"data": {"title": "t"}}`), s.send("full", "PUT", path, `{"data": {"site_name": "t"}}`))
	}
	s.want(200, s.send("", "POST", "/api/auth/forgot-password", `{"email": "ana@example.org"}`))
	<-s.mail // the code is stored before it is sent, beside the request
}

// want requires that one of the responses has the status.
func (s *side) want(status int, answers ...*answer) {
	s.t.Helper()
	for _, a := range answers {
		if a.status == status {
			return
		}
	}
	s.t.Fatalf("got %d %s, want %d", answers[0].status, answers[0].body, status)
}

func (s *side) make(name, path, data string) {
	s.t.Helper()
	a := s.send("full", "POST", path, `{"data": `+data+`}`)
	s.want(201, a)
	s.ids["api::"+name+"."+name] = a.text(s.t, "data.documentId")
}

// ask sends a request to both sides, requires the same response, and returns it.
func (w *twins) ask(as, method, path, body string, headers ...string) *answer {
	w.t.Helper()
	var answers [2]*answer
	for i, s := range w.sides {
		at := path
		for uid, id := range s.ids {
			at = strings.ReplaceAll(at, "{"+uid+"}", id)
		}
		answers[i] = s.send(as, method, at, body, headers...)
	}
	if a, b := answers[0], answers[1]; a.status != b.status || a.status >= 400 && (a.body != b.body || a.header.Get("Content-Length") != b.header.Get("Content-Length")) {
		w.t.Errorf("%s %s: the answer depends on a hidden value:\n%d %s\n%d %s", method, path, a.status, a.body, b.status, b.body)
	}
	return answers[0]
}

// hop is one step of a path through the schema.
type hop struct {
	attribute *schema.Attribute
	component *schema.Type // in a dynamic zone
}

// way is a path to a hidden attribute.
type way struct {
	hops   []hop
	hidden *schema.Attribute
}

// waysTo lists the paths from a type to all attributes that are hidden from the content
// API, with a maximum number of relations, components and zones.
func waysTo(t *schema.Type, hops []hop, most int) []way {
	return waysFor(anybody{}, t, nil, hops, most)
}

// direct reports whether no dynamic zone is on the path, so that filters and sort can
// use it.
func (w way) direct() bool {
	for _, h := range w.hops {
		if h.component != nil {
			return false
		}
	}
	return true
}

// keys returns the names on the path, with the hidden one at its end.
func (w way) keys() []string {
	var keys []string
	for _, h := range w.hops {
		keys = append(keys, h.attribute.Name)
	}
	return append(keys, w.hidden.Name)
}

// brackets writes keys as in filters[a][b].
func brackets(keys []string) string { return "[" + strings.Join(keys, "][") + "]" }

// populated returns the parameter that populates the targets of the first n hops.
func (w way) populated(n int) string {
	at := "populate"
	for i, h := range w.hops[:n] {
		at += "[" + h.attribute.Name + "]"
		if h.component != nil {
			at += "[on][" + h.component.UID + "]"
		}
		if i < n-1 {
			at += "[populate]"
		}
	}
	return at
}

// queries returns parameters that name the hidden attribute, in all forms.
func (w way) queries(probe string) []string {
	name := w.hidden.Name
	var list []string
	for n := 0; n <= len(w.hops); n++ {
		rest := way{w.hops[n:], w.hidden}
		if !rest.direct() {
			continue
		}
		keys := rest.keys()
		filters, sort := "filters", "sort"
		if n > 0 {
			filters, sort = w.populated(n)+"[filters]", w.populated(n)+"[sort]"
		}
		for _, condition := range []string{
			brackets(keys) + "=" + probe, brackets(keys) + "[$eq]=" + probe, brackets(keys) + "[$startsWith]=H", brackets(keys) + "[$null]=true",
			brackets(keys) + "[$in][0]=" + probe, brackets(keys) + "[$not][$contains]=a", brackets(keys) + "[$gt]=HIDDENm", brackets(keys) + "[id]=1",
			"[$or][0]" + brackets(keys) + "=x", "[$not]" + brackets(keys) + "[$notNull]=1", "[$and][0][$or][0]" + brackets(keys) + "[$ne]=x",
		} {
			list = append(list, filters+condition)
		}
		list = append(list, sort+"="+strings.Join(keys, "."), sort+"[0]="+strings.Join(keys, ".")+":desc", sort+brackets(keys)+"=asc", sort+"=id,"+strings.Join(keys, "."))
	}
	if len(w.hops) == 0 {
		return append(list, "fields="+name, "fields[0]=id&fields[1]="+name, "fields="+name+",id", "populate="+name, "populate[0]="+name,
			"populate["+name+"]=true", "populate["+name+"][fields]=id", "populate["+name+"][filters][id]=1", "populate="+name+"."+name)
	}
	at := w.populated(len(w.hops))
	return append(list, at+"[fields]="+name, at+"[fields][0]="+name, at+"[populate]="+name, at+"[populate]["+name+"]=true", at+"[populate][0]="+name,
		"populate="+strings.Join(w.keys(), "."))
}

// requests lists the requests for a type: method and path.
func requests(t *schema.Type) [][2]string {
	switch {
	case t.UID == schema.UserUID:
		return [][2]string{{"GET", "/api/users"}, {"GET", "/api/users/count"}, {"GET", "/api/users/{" + t.UID + "}"}, {"HEAD", "/api/users"},
			{"POST", "/api/users"}, {"PUT", "/api/users/{" + t.UID + "}"}, {"DELETE", "/api/users/{" + t.UID + "}"}}
	case t.UID == schema.RoleUID:
		const roles = "/api/users-permissions/roles"
		return [][2]string{{"GET", roles}, {"GET", roles + "/1"}, {"POST", roles}, {"PUT", roles + "/1"}, {"DELETE", roles + "/1"}}
	case t.UID == schema.FileUID:
		return [][2]string{{"GET", "/api/upload/files"}}
	case t.Kind == schema.Single:
		path := "/api/" + t.Route()
		return [][2]string{{"GET", path}, {"HEAD", path}, {"PUT", path}, {"DELETE", path}}
	}
	path := "/api/" + t.Route()
	one := path + "/{" + t.UID + "}"
	return [][2]string{{"GET", path}, {"GET", one}, {"HEAD", path}, {"POST", path}, {"PUT", one}, {"DELETE", one}}
}

// No request can name a hidden attribute: at the root, through relations, components and
// zones, in every parameter and with every method.
func TestHiddenAttributesCannotBeNamed(t *testing.T) {
	t.Parallel()
	forEach(t, cannotBeNamed)
}

func cannotBeNamed(t *testing.T, w *twins, as string) {
	requested := 0
	for _, ct := range w.site.Public() {
		for _, way := range w.ways(as, ct) {
			for i, q := range way.queries(w.sides[0].mark) {
				for j, r := range requests(ct) {
					if len(way.hops) == 2 && j > 0 && i%9 != 0 {
						continue // only the list gets all parameters
					}
					if as == "account" && ct.UID == schema.RoleUID && j > 0 {
						continue // it may list only the roles of users
					}
					headers := []string{}
					if (i+j)%2 == 0 {
						headers = []string{"Strapi-Response-Format", "v4"}
					}
					a := w.ask(as, r[0], r[1]+"?"+q, `{"data": {}}`, headers...)
					named := r[0] == "HEAD" || strings.Contains(a.Error.Message, way.hidden.Name)
					if !ct.BuiltIn && (r[0] == "POST" || r[0] == "PUT" && ct.Kind == schema.Single) {
						b := w.ask(as, "POST", "/api/_batch", `{"requests": [{"method": "`+r[0]+`", "url": "`+r[1]+"?"+q+`", "body": {"data": {}}}]}`, headers...)
						if b.status != a.status || b.Error.Message != a.Error.Message {
							t.Errorf("%s %s?%s in a batch: %d %.200s", r[0], r[1], q, b.status, b.body)
						}
					}
					if requested++; a.status != http.StatusBadRequest || !named {
						t.Errorf("%s %s?%s: %d %.200s", r[0], r[1], q, a.status, a.body)
					}
				}
			}
		}
	}
	t.Logf("%d requests", requested)
	if requested < 2000 {
		t.Error("those are too few: the enumeration has lost its way")
	}
}

// The endpoints that show the caller's own user refuse the same, for all callers.
func TestHiddenAttributesOfTheOwnUser(t *testing.T) {
	t.Parallel()
	w := openTwins(t)
	for _, way := range waysTo(w.site.Type(schema.UserUID), nil, 0) {
		for _, q := range way.queries("x") {
			for _, r := range []struct{ as, method, path, body string }{
				{"ana", "GET", "/api/users/me", ""},
				{"", "POST", "/api/auth/local", `{"identifier": "ana", "password": "x"}`},
				{"", "POST", "/api/auth/local/register", `{"username": "new", "email": "new@example.org", "password": "secret-1"}`},
				{"", "POST", "/api/auth/reset-password", `{"code": "x", "password": "secret-1", "passwordConfirmation": "secret-1"}`},
				{"ana", "POST", "/api/auth/change-password", `{"currentPassword": "x", "password": "secret-1", "passwordConfirmation": "secret-1"}`},
			} {
				if a := w.ask(r.as, r.method, r.path+"?"+q, r.body); a.status != 400 || a.Error.Name != "ValidationError" || !strings.Contains(a.Error.Message, "nvalid") {
					t.Errorf("%s %s?%s: %d %s", r.method, r.path, q, a.status, a.body)
				}
			}
		}
	}
	if a := w.ask("", "POST", "/api/auth/local", `{"identifier": "new", "password": "secret-1"}`); a.status != 400 {
		t.Error("a refused registration has made a user")
	}
}

// No response contains a hidden value, whatever it is asked to show.
func TestHiddenValuesAreNotShown(t *testing.T) {
	t.Parallel()
	forEach(t, hiddenValuesAreNotShown)
}

func hiddenValuesAreNotShown(t *testing.T, w *twins, as string) {
	for _, ct := range w.site.Public() {
		for _, r := range requests(ct) {
			if r[0] != "GET" {
				continue
			}
			for _, q := range []string{
				"", "populate=*", "fields=*", "status=draft", "status=draft&populate=*", "populate[restaurants][populate]=*", "populate[reviews][populate][author][populate]=*",
				"populate[author][populate][role]=*", "populate[restaurant][populate]=*", "populate[role]=true", "populate[sections][populate]=*", "populate[chef][populate][restaurants][populate]=*",
			} {
				for _, headers := range [][]string{nil, {"Strapi-Response-Format", "v4"}} {
					a := w.ask(as, r[0], r[1]+"?"+q, "", headers...)
					for _, secret := range []string{w.sides[0].mark, "$argon2", "sessionEpoch", "folderPath", `"password"`, "Token"} {
						if a.status == 200 && strings.Contains(a.body, secret) {
							t.Errorf("%s?%s shows %s: %s", r[1], q, secret, a.body)
						}
					}
				}
			}
		}
	}
}

// The bytes of a private file are in no response without the signature of its address.
func TestPrivateFilesAreNotShown(t *testing.T) {
	t.Parallel()
	forEach(t, privateFilesAreNotShown)
}

func privateFilesAreNotShown(t *testing.T, w *twins, as string) {
	for _, s := range w.sides {
		s.receive(t, "librarian", auth.AdminRole{Files: []string{"read", "upload"}})
		folder := s.send("librarian", "POST", "/api/upload/folders", `{"name": "f", "private": true}`).text(t, "documentId")
		body, kind := form(t, part{"files", "f.txt", s.mark}, part{"fileInfo", "", `{"folder": "` + folder + `"}`})
		url := s.send("full", "POST", "/api/upload", body, "Content-Type", kind).records(t)[0].URL
		if a := s.send("", "GET", url, ""); a.body != s.mark {
			t.Errorf("with its signature: %d %s", a.status, a.body)
		}
		s.ids["file"], _, _ = strings.Cut(url, "?")
	}
	for _, q := range []string{"", "?access=", "?access=9900000000.AAAAAAAAAAAAAAAAAAAAAA", "?w=320"} {
		for _, headers := range [][]string{nil, {"Range", "bytes=0-9"}} {
			if a := w.ask(as, "GET", "{file}"+q, "", headers...); a.status != http.StatusNotFound || strings.Contains(a.body, "HIDDEN") {
				t.Errorf("a private file%s: %d %s", q, a.status, a.body)
			}
		}
	}
}

// A copy shows no hidden value, and none of its parameters can name a hidden attribute.
func TestHiddenAttributesAreInNoCopy(t *testing.T) {
	t.Parallel()
	forEach(t, hiddenAttributesAreInNoCopy)
}

func hiddenAttributesAreInNoCopy(t *testing.T, w *twins, as string) {
	requested := 0
	for _, ct := range w.site.Public() {
		path := "/api/_changes?types=" + ct.UID
		for _, way := range w.ways(as, ct) {
			for _, q := range way.queries(w.sides[0].mark) {
				a := w.ask(as, "GET", path+"&"+q, "")
				named := strings.Contains(a.Error.Message, way.hidden.Name) || strings.HasPrefix(q, "filters") || strings.HasPrefix(q, "sort")
				if requested++; a.status != http.StatusBadRequest || !named {
					t.Errorf("%s&%s: %d %.200s", path, q, a.status, a.body)
				}
			}
		}
		for _, q := range []string{"", "&populate=*", "&fields=*", "&status=draft&populate=*", "&populate[*]=3"} {
			a := w.ask(as, "GET", path+q, "")
			for _, secret := range []string{w.sides[0].mark, "$argon2", "sessionEpoch", "folderPath", `"password"`, "Token"} {
				if a.status == 200 && strings.Contains(a.body, secret) {
					t.Errorf("%s%s shows %s: %s", path, q, secret, a.body)
				}
			}
		}
	}
	if requested < 500 {
		t.Errorf("%d requests are too few: the enumeration has lost its way", requested)
	}
}

// A search does not read hidden values, and they affect no order.
func TestHiddenValuesAreNotSearched(t *testing.T) {
	t.Parallel()
	forEach(t, hiddenValuesAreNotSearched)
}

func hiddenValuesAreNotSearched(t *testing.T, w *twins, as string) {
	for _, ct := range w.site.Public() {
		r := requests(ct)[0]
		for _, text := range []string{"HIDDEN", "aaaa", "argon2", "$", "lHIDDEN"} {
			a := w.ask(as, r[0], r[1]+"?_q="+text, "")
			if a.status == 200 && strings.Contains(a.body, "documentId") && ct.Kind != schema.Single {
				t.Errorf("%s finds something by %q: %s", r[1], text, a.body)
			}
		}
	}
}

// GraphQL shows no hidden attribute, and neither filters nor sorts by one, however the way
// to it leads. A password has a field, as in Strapi, which is null.
func TestGraphQLHasNoWayToHiddenAttributes(t *testing.T) {
	w := openTwins(t)
	at := w.sides[0].listenTo(t, false)
	tried := 0
	for root, list := range map[string]string{"api::restaurant.restaurant": "restaurants", "api::chef.chef": "chefs", "api::category.category": "categories", "api::review.review": "reviews"} {
		for _, way := range waysTo(w.site.Type(root), nil, 2) {
			keys := way.keys()
			inner := strings.Join(keys, " { ") + strings.Repeat(" }", len(keys)-1)
			filter := strings.Join(keys, ": {") + `: {startsWith: "HIDDENa"}` + strings.Repeat("}", len(keys)-1)
			l := w.sides[0].subscribe(t, at, "full", "subscription { "+root[strings.LastIndex(root, ".")+1:]+"Changed(filters: {"+filter+"}) { action } }")
			if m := l.read(); !strings.Contains(m.data, `"errors"`) {
				t.Errorf("a subscription filters by %s: %+v", filter, m)
			}
			l.leave()
			for _, as := range []string{"", "ana", "readonly", "full"} {
				for query, refused := range map[string]bool{
					"{ " + list + " { x: " + inner + " } }":                                    false,
					"{ " + list + "(filters: {" + filter + "}) { __typename } }":               true,
					"{ " + list + `(sort: "` + strings.Join(keys, ".") + `") { __typename } }`: true,
				} {
					tried++
					var bodies [2]string
					for i, one := range w.sides {
						_, bodies[i] = askGraphQL(t, one.server.Handler(), one.tokens[as], query, nil)
					}
					if bodies[0] != bodies[1] || refused && (strings.Contains(bodies[0], `"data":{"`) || !strings.Contains(bodies[0], `"errors"`)) {
						t.Errorf("%s, as %q: %s\n%s", query, as, bodies[0], bodies[1])
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d ways were tried", tried)
	}
}
