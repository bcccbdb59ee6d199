package server_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/schema"
	"quire/schema/settings"
)

// draftSite is a site where everybody may do everything except read drafts. Each of its
// callers may read the drafts of some types.
type draftSite struct {
	*accountSite
	names   map[string]string // values for the names in braces
	callers []draftCaller
	rounds  map[byte]int      // how often the drafts of each type have changed
	links   map[string]string // tokens of preview links, by the name of the holder
}

// draftCaller is a caller, with the types whose drafts it may read.
type draftCaller struct{ as, reads string }

// draftTypes are the types with drafts, by a letter for each.
var draftTypes = map[byte]string{'c': "api::chef.chef", 'd': "api::dish.dish", 'h': "api::homepage.homepage", 'r': "api::restaurant.restaurant"}

const draftLetters = "cdhr"

// draftFolder is the sample site with more paths to a draft: from users, through
// components and zones of a type without drafts, and through a relation to any type.
func draftFolder(t *testing.T, roles string) fstest.MapFS {
	t.Helper()
	folder := sampleWith(t, unlimited, roles).(fstest.MapFS)
	more := func(file, attributes string) {
		var o map[string]any
		if had := folder[file]; had != nil {
			check(t, json.Unmarshal(had.Data, &o))
		} else {
			o = map[string]any{"attributes": map[string]any{}}
		}
		check(t, json.Unmarshal([]byte(attributes), ptr(o["attributes"].(map[string]any))))
		data, err := json.Marshal(o)
		check(t, err)
		folder[file] = &fstest.MapFile{Data: data}
	}
	more("src/extensions/users-permissions/content-types/user/schema.json", `{"favorites": {"type": "relation", "relation": "oneToMany", "target": "api::restaurant.restaurant"}}`)
	more("src/api/category/content-types/category/schema.json", `{"quote": {"type": "component", "component": "section.quote"},
		"blocks": {"type": "dynamiczone", "components": ["section.related", "section.quote"]}}`)
	more("src/api/global/content-types/global/schema.json", `{"star": {"type": "relation", "relation": "oneToOne", "target": "api::chef.chef"}}`)
	more("src/api/restaurant/content-types/restaurant/schema.json", `{"pins": {"type": "relation", "relation": "morphMany", "target": "api::pin.pin", "morphBy": "items"}}`)
	folder["src/api/pin/content-types/pin/schema.json"] = &fstest.MapFile{Data: []byte(`{"kind": "collectionType", "info": {"singularName": "pin", "pluralName": "pins", "displayName": "Pin"},
		"attributes": {"label": {"type": "string"}, "items": {"type": "relation", "relation": "morphToMany"}}}`)}
	config := string(folder["site.json"].Data)
	folder["site.json"] = &fstest.MapFile{Data: []byte(strings.Replace(config, `{"code": "fr"}`, `{"code": "fr"}, {"code": "it"}`, 1))}
	return folder
}

func ptr[T any](v T) *T { return &v }

// permissions are all permissions of the site, except those to read drafts of types not
// listed.
func permissions(site *schema.Site, reads string) []auth.Permission {
	return slices.DeleteFunc(auth.AllPermissions(site), func(p auth.Permission) bool {
		return p.Action == schema.ReadDraft && !slices.ContainsFunc([]byte(reads), func(letter byte) bool { return draftTypes[letter] == p.UID })
	})
}

func openDrafts(t *testing.T) *draftSite {
	t.Helper()
	bare, err := schema.Load(draftFolder(t, noRoles))
	check(t, err)
	roles := map[string]settings.RolePermissions{}
	role := func(name, reads string) {
		roles[name] = settings.RolePermissions{}
		for _, p := range permissions(bare, reads) {
			roles[name][p.UID] = append(roles[name][p.UID], string(p.Action))
		}
	}
	role("public", "")
	role("authenticated", "")
	for _, letter := range draftLetters {
		role("reader-"+string(letter), string(letter))
	}
	config, err := json.Marshal(roles)
	check(t, err)
	s := &draftSite{accountSite: openAccountSite(t, draftFolder(t, string(config)), options{GraphQL: true, MCP: true}), names: map[string]string{}, rounds: map[byte]int{}, links: map[string]string{}}
	s.join("nobody")
	s.callers = []draftCaller{{"", ""}, {"nobody", ""}, {"full", draftLetters}, {"readonly", draftLetters}}
	s.tokens["readonly"] = createToken(t, s.auth, "readonly", auth.ReadOnly)
	for _, letter := range draftLetters {
		one := string(letter)
		s.join("reader-" + one)
		s.callers = append(s.callers, draftCaller{"reader-" + one, one}, s.token("only-"+one, one), s.token("not-"+one, strings.ReplaceAll(draftLetters, one, "")))
	}
	s.appoint()
	s.callers = append(s.callers, s.token("none", ""), s.token("all", draftLetters))
	s.fill()
	for _, maker := range []draftCaller{{"full", draftLetters}, {"not-c", "dhr"}, {"not-d", "chr"}, {"only-r", "r"}, {"reader-r", "r"}} {
		s.callers = append(s.callers, s.link(maker, "/api/restaurants/{r1}"))
	}
	s.callers = append(s.callers, s.link(draftCaller{"not-r", "cdh"}, "/api/homepage"))
	versions := s.send("full", "GET", s.named("/api/restaurants/{r1}/history?status=published"), "")
	now := regexp.MustCompile(`"revision":(\d+),"since"`).FindStringSubmatch(s.send("full", "GET", "/api/_changes?status=draft&limit=1000", "").body)
	s.names["since"] = now[1]
	s.names["was"] = regexp.MustCompile(`"revision":(\d+)`).FindStringSubmatch(versions.body)[1]
	return s
}

// token makes a custom token that may do everything except read other drafts.
func (s *draftSite) token(name, reads string) draftCaller {
	s.t.Helper()
	var list []string
	for _, p := range permissions(s.site, reads) {
		list = append(list, p.String())
	}
	var err error
	s.tokens[name], err = s.auth.CreateToken(s.t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
	check(s.t, err)
	return draftCaller{name, reads}
}

// link lets a caller make a preview link. Its holder sees no other drafts than its
// maker.
func (s *draftSite) link(maker draftCaller, path string) draftCaller {
	s.t.Helper()
	name := "link of " + maker.as + " to " + path
	s.links[name] = s.send(maker.as, "POST", s.named(path)+"/actions/preview-link", "").text(s.t, "data.token")
	return draftCaller{name, maker.reads}
}

// ask sends a request as one of the callers. The holder of a preview link sends its
// token, and requests the published version unless the path says otherwise.
func (s *draftSite) ask(as, method, path, body string) *answer {
	s.t.Helper()
	token, ok := s.links[as]
	if !ok {
		return s.send(as, method, s.named(path), s.named(body))
	}
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	path += sign + "previewToken=" + token
	if !strings.Contains(path, "status=") {
		path += "&status=published"
	}
	return s.send("", method, s.named(path), s.named(body))
}

// appoint gives each user the role with the same name.
func (s *draftSite) appoint() {
	s.t.Helper()
	var list struct {
		Roles []struct {
			ID   int
			Type string
		}
	}
	check(s.t, json.Unmarshal([]byte(s.send("full", "GET", "/api/users-permissions/roles", "").body), &list))
	for _, r := range list.Roles {
		var users []struct{ ID int }
		check(s.t, json.Unmarshal([]byte(s.send("full", "GET", "/api/users?filters[username]="+r.Type, "").body), &users))
		for _, u := range users {
			s.write(200, "PUT", fmt.Sprintf("/api/users/%d", u.ID), fmt.Sprintf(`{"role": %d}`, r.ID))
		}
	}
}

// write sends a write of a caller who may do everything. Names in braces stand for
// documents.
func (s *draftSite) write(status int, method, path, body string) *answer {
	s.t.Helper()
	a := s.send("full", method, s.named(path), s.named(body))
	if a.status != status {
		s.t.Fatalf("%s %s %s: %d %s", method, path, body, a.status, a.body)
	}
	return a
}

func (s *draftSite) named(text string) string {
	for name, id := range s.names {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

func (s *draftSite) make(name, path, data string) {
	s.t.Helper()
	s.names[name] = s.write(201, "POST", path, `{"data": `+data+`}`).documentID(s.t)
}

// fill creates a few documents of each type: the first is published and has a changed
// draft, the second is published, the third was never published.
func (s *draftSite) fill() {
	s.t.Helper()
	for i, status := range []string{"published", "published", "draft"} {
		n := fmt.Sprint(i + 1)
		s.make("c"+n, "/api/chefs?status="+status, `{"name": "public `+n+`"}`)
		s.make("d"+n, "/api/dishes?status="+status, `{"name": "public `+n+`"}`)
	}
	s.make("cat", "/api/categories", `{"name": "one", "quote": {"text": "q", "chef": "{c1}"}}`)
	s.make("child", "/api/categories", `{"name": "two", "parent": "{cat}", "quote": {"text": "q", "chef": "{c2}"}}`)
	s.make("child2", "/api/categories", `{"name": "three", "parent": "{cat}"}`)
	for i, status := range []string{"published", "published", "draft"} {
		n := fmt.Sprint(i + 1)
		s.make("r"+n, "/api/restaurants?status="+status, `{"name": "public `+n+`", "chef": "{c`+n+`}", "signature_dish": "{d`+n+`}", "categories": ["{cat}", "{child}"],
			"opening_hours": [{"day": "mon"}], "sections": [{"__component": "section.quote", "text": "q", "chef": "{c1}"}]}`)
		s.write(200, "PUT", "/api/restaurants/{r"+n+"}?locale=fr&status="+status, `{"data": {"name": "publique `+n+`"}}`)
	}
	s.write(200, "PUT", "/api/restaurants/{r2}", `{"data": {"categories": ["{child2}"], "nearby": ["{r1}", "{r3}"]}}`)
	s.write(200, "PUT", "/api/categories/{cat}", `{"data": {"blocks": [{"__component": "section.related", "heading": "h", "restaurants": ["{r1}", "{r3}"]}, {"__component": "section.quote", "chef": "{c3}"}]}}`)
	s.make("review", "/api/reviews", `{"note": 1, "restaurant": "{r1}"}`)
	s.make("review2", "/api/reviews", `{"note": 2, "restaurant": "{r2}"}`)
	s.make("review3", "/api/reviews", `{"note": 3, "restaurant": "{r3}"}`)
	s.make("pin", "/api/pins", `{"label": "p", "items": [{"__type": "api::restaurant.restaurant", "documentId": "{r1}"}, {"__type": "api::chef.chef", "documentId": "{c3}"}]}`)
	s.write(200, "PUT", "/api/homepage", `{"data": {"title": "public", "sections": [{"__component": "section.quote", "text": "q"}], "featured": ["{r1}", "{r3}"]}}`)
	s.write(200, "PUT", "/api/global", `{"data": {"site_name": "public", "star": "{c1}"}}`)
	s.write(200, "PUT", "/api/users/1", `{"favorites": ["{r1}", "{r3}"]}`)
	s.write(200, "PUT", "/api/users/2", `{"favorites": ["{r2}"]}`)
	s.write(202, "POST", "/api/restaurants/{r1}/actions/publish?locale=*", `{"at": "`+tomorrow()+`"}`)
	made := s.write(201, "POST", "/api/_releases", `{"data": {"name": "all", "steps": [{"type": "api::restaurant.restaurant", "documentId": "{r1}", "action": "publish", "locales": ["*"]},
		{"type": "api::chef.chef", "documentId": "{c3}", "action": "publish"}, {"type": "api::homepage.homepage", "action": "unpublish"}]}}`)
	s.names["release"] = idOf(s.t, made)
	for _, letter := range []byte(draftLetters) {
		s.change(letter)
	}
}

// change changes the drafts of a type: their values, their links and the order of these,
// and their number.
func (s *draftSite) change(letter byte) {
	s.t.Helper()
	s.rounds[letter]++
	mark, other, stars := "A", "Z", 1
	if s.rounds[letter]%2 == 0 {
		mark, other, stars = "Z", "A", 2
	}
	put := func(path, data string) { s.write(200, "PUT", path+"?status=draft", `{"data": `+data+`}`) }
	switch letter {
	case 'c', 'd':
		path := map[byte]string{'c': "/api/chefs", 'd': "/api/dishes"}[letter]
		put(path+"/{"+string(letter)+"1}", `{"name": "`+mark+`1"}`)
		put(path+"/{"+string(letter)+"3}", `{"name": "`+other+`3"}`)
		if s.rounds[letter] == 2 {
			put(path+"/{"+string(letter)+"2}", `{"name": "`+other+`2"}`)
		}
		s.make("new", path+"?status=draft", fmt.Sprintf(`{"name": "new %d"}`, s.rounds[letter]))
	case 'h':
		featured := map[string]string{"A": `["{r3}"]`, "Z": `["{r1}", "{r3}"]`}[mark]
		put("/api/homepage", `{"title": "`+mark+`", "featured": `+featured+`}`)
	case 'r':
		s.changeRestaurants(put, mark, other, stars)
	}
}

func (s *draftSite) changeRestaurants(put func(path, data string), mark, other string, stars int) {
	chef := map[string]string{"A": "{c1}", "Z": "{c3}"}
	categories := map[string]string{"A": `["{cat}", "{child}"]`, "Z": `["{child2}"]`}
	reviews := map[string]string{"A": `["{review}"]`, "Z": `[]`}
	put("/api/restaurants/{r1}", fmt.Sprintf(`{"name": "%s1", "stars": %d, "chef": "%s", "signature_dish": "%s", "categories": %s, "nearby": ["{r3}"], "reviews": %s,
		"opening_hours": [{"day": "%s", "note": "n"}], "sections": [{"__component": "section.quote", "text": "%s", "chef": "{c1}"}]}`,
		mark, stars, chef[mark], map[string]string{"A": "{d1}", "Z": "{d3}"}[mark], categories[mark], reviews[mark], map[string]string{"A": "mon", "Z": "sun"}[mark], mark))
	put("/api/restaurants/{r3}", fmt.Sprintf(`{"name": "%s3", "stars": %d, "chef": "{c3}", "categories": %s}`, mark, stars, categories[other]))
	s.write(200, "PUT", "/api/restaurants/{r1}?status=draft&locale=fr", `{"data": {"name": "`+mark+`1fr"}}`)
	s.make("new", "/api/restaurants?status=draft", `{"name": "new", "chef": "{c1}", "categories": ["{cat}"]}`)
	shown := s.write(200, "GET", "/api/restaurants/{r1}?status=draft&populate=opening_hours", "")
	s.names["hours"] = regexp.MustCompile(`"opening_hours":\[\{"id":(\d+)`).FindStringSubmatch(shown.body)[1]
	if s.rounds['r'] == 2 {
		s.write(200, "PUT", "/api/restaurants/{r2}?status=draft", `{"data": {"stars": 3}}`)
	}
}
