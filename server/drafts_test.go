package server_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A caller who may not read the drafts of a type learns nothing about them. The tests
// use each way to see content, with every kind of caller, before and after the drafts
// of one type have changed. The response to a caller who may not read them must stay
// the same to the last byte, including the header. A new way to see content needs a
// line in draftReads or draftWrites.

// draftRead is a way to read, and the types whose drafts it shows or depends on, by
// their first letters: chef, dish, homepage, restaurant.
type draftRead struct {
	path string
	sees string
}

// Names in braces stand for documents. Each read is also sent without status=draft:
// then drafts change nothing for anybody.
var draftReads = []draftRead{
	// A list, a document and a single type of their own type.
	{"/api/restaurants?status=draft", "r"},
	{"/api/restaurants/{r1}?status=draft", "r"},
	{"/api/restaurants/{r3}?status=draft", "r"},
	{"/api/restaurants?status=draft&locale=*", "r"},
	{"/api/chefs?status=draft", "c"},
	{"/api/dishes?status=draft", "d"},
	{"/api/homepage?status=draft", "h"},

	// Populated, in each form, from types with and without drafts.
	{"/api/categories?status=draft&populate=restaurants", "r"},
	{"/api/categories?status=draft&populate=*", "r"},
	{"/api/categories?status=draft&populate=restaurants.chef", "rc"},
	{"/api/categories?status=draft&populate[0]=children.restaurants", "r"},
	{"/api/categories/{cat}?status=draft&populate[restaurants]=true", "r"},
	{"/api/categories?status=draft&populate[restaurants][fields]=name", "r"},
	{"/api/categories?status=draft&populate[restaurants][count]=true", "r"},
	{"/api/categories?status=draft&populate[restaurants][populate][signature_dish]=true", "rd"},
	{"/api/categories?status=draft&populate[restaurants][populate][nearby][populate]=chef", "rc"},
	{"/api/categories?status=draft&populate[restaurants][populate][localizations]=true", "r"},
	{"/api/categories?status=draft&populate[restaurants][populate][sections][populate]=*", "rc"},
	{"/api/categories?status=draft&populate[quote][populate]=chef", "c"},
	{"/api/categories?status=draft&populate[blocks][on][section.related][populate]=restaurants", "r"},
	{"/api/categories?status=draft&populate[blocks][populate]=*", "cr"},
	{"/api/reviews?status=draft&populate[restaurant]=true", "r"},
	{"/api/reviews?status=draft", ""},
	{"/api/reviews/{review}?status=draft", ""},
	{"/api/reviews/{review}?populate[author]=true", ""},
	{"/api/reviews/{review}?status=draft&populate[restaurant][populate]=reviews", "r"},
	{"/api/pins?status=draft&populate=items", "rc"},
	{"/api/pins?status=draft&populate[items][on][api::chef.chef][populate]=restaurants", "cr"},
	{"/api/restaurants?status=draft&populate=*", "rcd"},
	{"/api/restaurants/{r1}?status=draft&populate[localizations]=true&populate[pins]=true", "r"},
	{"/api/chefs?status=draft&populate[restaurants][populate]=chef", "cr"},
	{"/api/homepage?status=draft&populate[featured]=true", "hr"},
	{"/api/global?status=draft&populate[star][populate]=restaurants", "cr"},

	// Populated on several levels.
	{"/api/categories?status=draft&populate[*]=3", "rcd"},
	{"/api/chefs?status=draft&populate[*]=2", "crd"},
	{"/api/pins?status=draft&populate[items][populate]=*", "rcd"},

	// In a fallback locale.
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=fr,en", "r"},
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=en&fields=name&sort=name", "r"},
	{"/api/restaurants/{r1}?status=draft&locale=it&fallbackLocale=fr", "r"},
	{"/api/restaurants/{r3}?status=draft&locale=it&fallbackLocale=fr", "r"},
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=en&filters[name][$startsWith]=A", "r"},
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=en&populate[nearby][populate]=chef", "rc"},
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=en&filters[nearby][name]=A3", "r"},
	{"/api/homepage?status=draft&locale=fr&fallbackLocale=en&populate[featured]=true", "hr"},

	// With cursors, which contain the values of a sort.
	{"/api/restaurants?status=draft&sort=name&pagination[after]=&pagination[limit]=1&fields=id", "r"},
	{"/api/categories?status=draft&sort=restaurants.name:desc&pagination[after]=&pagination[limit]=1", "r"},
	{"/api/reviews?status=draft&sort=restaurant.chef.name&pagination[after]=&pagination[limit]=1", "rc"},
	{"/api/restaurants?status=draft&locale=it&fallbackLocale=en&sort=chef.name&pagination[after]=&pagination[pageSize]=1", "rc"},

	// In filters, also in populate.
	{"/api/categories?status=draft&filters[restaurants][name][$startsWith]=A", "r"},
	{"/api/categories?status=draft&filters[restaurants][name][$startsWithi]=a", "r"},
	{"/api/categories?status=draft&filters[restaurants][stars]=1", "r"},
	{"/api/categories?status=draft&filters[$or][0][restaurants][name]=A3&filters[$or][1][id]=0", "r"},
	{"/api/categories?status=draft&filters[$not][restaurants][name][$contains]=A", "r"},
	{"/api/categories?status=draft&filters[$and][0][$not][$or][0][restaurants][name][$lt]=B", "r"},
	{"/api/categories?status=draft&filters[restaurants][chef][name]=A1", "rc"},
	{"/api/categories?status=draft&filters[children][restaurants][name]=A1", "r"},
	{"/api/categories?status=draft&filters[restaurants][opening_hours][day]=sun", "r"},
	{"/api/categories?status=draft&filters[restaurants][categories][restaurants][name]=A1", "r"},
	{"/api/categories?status=draft&filters[restaurants][publishedAt][$null]=true&filters[restaurants][name]=A1", "r"},
	{"/api/categories?status=draft&filters[quote][chef][name]=A1", "c"},
	{"/api/categories?status=draft&filters[restaurants][localizations][name]=A1fr", "r"},
	{"/api/categories?status=draft&populate[restaurants][filters][name][$startsWith]=A", "r"},
	{"/api/categories?status=draft&populate[restaurants][filters][chef][name]=A1&populate[restaurants][count]=true", "rc"},
	{"/api/reviews?status=draft&filters[restaurant][name]=A1", "r"},
	{"/api/chefs?status=draft&filters[restaurants][name]=A1", "cr"},
	{"/api/restaurants?status=draft&filters[signature_dish][name]=A1", "rd"},

	// In sort, also in populate.
	{"/api/categories?status=draft&sort=restaurants.name", "r"},
	{"/api/categories?status=draft&sort[0][restaurants][chef][name]=desc", "rc"},
	{"/api/categories?status=draft&sort=quote.chef.name", "c"},
	{"/api/reviews?status=draft&sort=restaurant.name:desc", "r"},
	{"/api/categories?status=draft&populate[children][sort]=restaurants.name", "r"},
	{"/api/restaurants?status=draft&sort=chef.name", "rc"},

	// Searched, counted, and with both versions.
	{"/api/restaurants?status=draft&_q=A1", "r"},
	{"/api/dishes?status=draft&_q=A&pagination[pageSize]=1", "d"},
	{"/api/restaurants?status=draft&publicationFilter=never-published", "r"},
	{"/api/restaurants?publicationFilter=modified", "r"},
	{"/api/restaurants?publicationFilter=unmodified&pagination[pageSize]=1", "r"},
	{"/api/chefs?publicationFilter=modified&populate=restaurants", "cr"},
	{"/api/categories?publicationFilter=modified&populate=restaurants", "r"},
	{"/api/restaurants?status=draft&hasPublishedVersion=false", "r"},

	// Found by words, with highlights, facets, suggestions and better spellings.
	{"/api/restaurants/_search?status=draft&q=A1&explain=1", "r"},
	{"/api/restaurants/_search?q=A1&explain=1", ""},
	{"/api/restaurants/_search?q=publishde", ""},
	{"/api/restaurants/_search?status=draft&q=&facets=name,chef.name", "rc"},
	{"/api/restaurants/_search?facets=chef.name,localizations.name", ""},
	{"/api/restaurants/_search?publicationFilter=modified&q=publi&explain=1", "r"},
	{"/api/dishes/_search?q=A&status=draft&sort=name", "d"},
	{"/api/categories/_search?status=draft&filters[restaurants][name]=A1&q=", "r"},
	{"/api/categories/_search?status=draft&populate=restaurants&q=", "r"},
	{"/api/restaurants/_suggest?status=draft&q=A", "r"},
	{"/api/restaurants/_suggest?q=A", ""},
	{"/api/_search?q=A1&status=draft", "cdr"},
	{"/api/_search?q=A1", ""},
	{"/api/_suggest?q=A&status=draft", "cdhr"},
	{"/api/_suggest?q=A", ""},

	// Aggregated: counted, grouped, and ranked.
	{"/api/restaurants/_count?status=draft", "r"},
	{"/api/restaurants/_count?status=draft&_q=A1", "r"},
	{"/api/restaurants/_count?publicationFilter=modified&filters[name][$contains]=publi&status=draft", "r"},
	{"/api/categories/_count?status=draft&filters[restaurants][name][$startsWith]=A", "r"},
	{"/api/categories/_count?status=draft&filters[quote][chef][name]=A1", "c"},
	{"/api/restaurants/_aggregate?status=draft", "r"},
	{"/api/restaurants/_aggregate?status=draft&groupBy=name&max=stars,updatedAt", "r"},
	{"/api/restaurants/_aggregate?status=draft&min=name&max=name&sum=stars&avg=stars&locale=*", "r"},
	{"/api/restaurants/_aggregate?status=draft&groupBy=chef.name", "rc"},
	{"/api/restaurants/_aggregate?status=draft&groupBy=opening_hours.day&pagination[pageSize]=1", "r"},
	{"/api/restaurants/_aggregate?status=draft&groupBy=publishedAt,localizations.name", "r"},
	{"/api/dishes/_aggregate?status=draft&groupBy=name&sort=count:desc", "d"},
	{"/api/categories/_aggregate?status=draft&groupBy=restaurants.name&count=false", "r"},
	{"/api/categories/_aggregate?status=draft&groupBy=name,restaurants.chef.name&sum=code", "rc"},
	{"/api/categories/_aggregate?status=draft&groupBy=quote.chef.name&sort=count:desc", "c"},
	{"/api/categories/_aggregate?status=draft&filters[restaurants][name]=A1&max=name", "r"},
	{"/api/reviews/_aggregate?status=draft&groupBy=restaurant.stars&avg=note", "r"},
	{"/api/restaurants?status=draft&_q=1&sort=_rank", "r"},
	{"/api/categories?status=draft&_q=e&sort=_rank,restaurants.name:desc", "r"},

	// The state of documents, and the links to them.
	{"/api/restaurants?include=state", "r"},
	{"/api/restaurants?include=state&fields=id&locale=*", "r"},
	{"/api/restaurants/{r1}?include=state", "r"},
	{"/api/homepage?include=state", "h"},
	{"/api/categories?include=state&populate=restaurants", ""},
	{"/api/chefs/{c1}/links", "r"},
	{"/api/dishes/{d1}/links?pagination[limit]=1", "r"},
	{"/api/restaurants/{r1}/links", "h"},
	{"/api/categories/{cat}/links", "r"},
	{"/api/reviews/{review}/links", ""},

	// Schedules, which name documents and show nothing of them.
	{"/api/restaurants/{r1}/schedule", ""},
	{"/api/_schedules", ""},
	{"/api/_releases", ""},
	{"/api/_releases/{release}", ""},
	{"/api/_releases/{release}/check", ""},
	// The history of documents.
	{"/api/restaurants/{r1}/history", "r"},
	{"/api/restaurants/{r1}/history?status=published", ""},
	{"/api/restaurants/{r1}/history/{was}", ""},
	{"/api/restaurants/{r1}/history/{was}?diff={was}", ""},
	{"/api/homepage/history", "h"},
	{"/api/chefs/{c1}/history?pagination[limit]=1", "c"},

	// A copy, and what has changed since.
	{"/api/_changes?status=draft", "cdhr"},
	{"/api/_changes?status=draft&limit=3", "cdhr"},
	{"/api/_changes?status=draft&types=restaurants", "r"},
	{"/api/_changes?status=draft&types=chefs,homepage", "ch"},
	{"/api/_changes?status=draft&types=categories&populate=restaurants.chef", "cdhr"},
	{"/api/_changes?status=draft&since={since}", "cdhr"},
	{"/api/_changes?status=draft&types=restaurants,dishes&since={since}", "rd"},
	{"/api/_changes?status=draft&types=categories,reviews,pins,global&since={since}", "cdhr"},
	{"/api/_changes?status=draft&types=categories&populate=*&since={since}", "cdhr"},

	// By GraphQL.
	{"/graphql?query={ restaurants(status: DRAFT) { name chef { name } signature_dish { name } } }", "rcd"},
	{"/graphql?query={ restaurants { name chef { name } nearby { name } publishedAt } }", ""},
	{"/graphql?query={ restaurant(documentId: \"{r1}\", status: DRAFT) { name localizations { name } } }", "r"},
	{"/graphql?query={ homepage(status: DRAFT) { featured(sort: \"name\") { name } } }", "hr"},
	{"/graphql?query={ categories(status: DRAFT) { restaurants(filters: { name: { startsWith: \"A\" } }) { name } } }", "r"},
	{"/graphql?query={ categories(status: DRAFT, filters: { restaurants: { name: { eq: \"A3\" } } }) { documentId } }", "r"},
	{"/graphql?query={ categories { restaurants { name } } }", ""},
	{"/graphql?query={ categories_connection(status: DRAFT, sort: \"restaurants.name\") { nodes { documentId } pageInfo { total } } }", "r"},
	{"/graphql?query={ restaurants_connection(publicationFilter: MODIFIED) { nodes { name } pageInfo { total } } }", "r"},
	{"/graphql?query={ restaurants(hasPublishedVersion: false, status: DRAFT) { name } }", "r"},
	{"/graphql?query={ a: chefs { name } b: chefs(status: DRAFT) { name restaurants { name } } }", "cr"},
	{"/graphql?query={ usersPermissionsUsers { favorites { name } } }", ""},

	// Users and roles.
	{"/api/users?status=draft&populate=favorites", "r"},
	{"/api/users?status=draft&filters[favorites][name]=A1", "r"},
	{"/api/users?status=draft&sort=favorites.name", "r"},
	{"/api/users/count?status=draft&filters[favorites][name]=A1", "r"},
	{"/api/users/1?status=draft&populate[favorites][populate]=chef", "rc"},
	{"/api/users/me?status=draft&populate=favorites", ""},
	{"/api/users-permissions/roles?status=draft&populate=*", ""},
	{"/api/upload/files?status=draft&populate=*", ""},
}

// draftWay is a request, and the types whose drafts the response shows to callers who
// may read them.
type draftWay struct {
	method, path, body string
	sees               string
}

// Writes, for their responses.
var draftWrites = []draftWay{
	{"PUT", "/api/restaurants/{r1}?status=draft", `{"data": {"name": "mine"}}`, "r"},
	{"PUT", "/api/restaurants/{r1}?status=draft&populate=*", `{"data": {"name": "mine"}}`, "rcd"},
	{"PUT", "/api/restaurants/{r1}?status=draft&populate=chef,categories", `{"data": {"chef": "{c1}", "categories": {"connect": ["{cat}"]}}}`, "rc"},
	{"PUT", "/api/restaurants/{r1}?status=draft&populate=opening_hours", `{"data": {"opening_hours": [{"id": {hours}, "opens": "10:00:00"}]}}`, "r"},
	{"PUT", "/api/restaurants/{r1}?status=draft&populate[nearby][populate]=chef", `{"data": {"nearby": ["{r2}", "{r3}"]}}`, "rc"},
	{"PUT", "/api/restaurants/{r1}?status=draft&populate[nearby][sort]=name&populate[nearby][filters][name][$startsWith]=A", `{"data": {"nearby": ["{r2}", "{r3}"]}}`, "r"},
	{"PUT", "/api/restaurants/{r1}?status=draft&locale=it&populate=*", `{"data": {"name": "mio"}}`, "r"},
	{"PUT", "/api/chefs/{c1}?status=draft&populate[restaurants]=true", `{"data": {"bio": "mine"}}`, "cr"},
	{"PUT", "/api/homepage?status=draft&populate=featured", `{"data": {"featured": ["{r1}", "{r3}"]}}`, "hr"},
	{"POST", "/api/restaurants?status=draft&populate[signature_dish]=true&populate[nearby]=true", `{"data": {"name": "mine", "signature_dish": "{d1}", "nearby": ["{r1}", "{r3}"]}}`, "rd"},
	{"POST", "/api/chefs?status=draft&populate[restaurants]=true", `{"data": {"name": "mine"}}`, ""},
	{"POST", "/api/restaurants/{r1}/actions/duplicate?populate=*", "", "rcd"},
	{"POST", "/api/restaurants/{r1}/actions/discard-draft?populate[chef]=true", "", "c"},
	{"PUT", "/api/_releases/{release}", `{"data": {"name": "mine"}}`, ""},
	{"POST", "/api/restaurants/{r1}/history/{was}/restore?populate[chef]=true", "", ""},
	{"POST", "/api/reviews?status=draft&populate[restaurant]=true", `{"data": {"note": 1, "restaurant": "{r1}"}}`, ""},
	{"PUT", "/api/reviews/{review}?status=draft&populate[restaurant][populate]=chef", `{"data": {"note": 2}}`, ""},
	{"PUT", "/api/categories/{cat}?status=draft&populate[restaurants]=true", `{"data": {"code": 7}}`, ""},
	{"POST", "/api/_batch", `{"requests": [{"method": "PUT", "url": "/api/restaurants/{r1}?status=draft&populate=*", "body": {"data": {"name": "mine"}}}]}`, "rcd"},
	{"POST", "/api/_batch", `{"requests": [{"method": "PUT", "url": "/api/homepage?status=draft&populate=featured", "body": {"data": {"featured": ["{r1}", "{r3}"]}}},
		{"method": "PUT", "url": "/api/categories/{cat}?status=draft&populate[restaurants]=true", "body": {"data": {"code": 7}}}]}`, "hr"},
	{"POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/restaurants/{r1}/actions/duplicate?populate=*"}]}`, "rcd"},
	{"POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/restaurants?status=draft&populate[nearby]=true", "body": {"data": {"name": "mine", "nearby": ["{r1}", "{r3}"]}}},
		{"method": "PUT", "url": "/api/reviews/{review}?status=draft&populate[restaurant][populate]=chef", "body": {"data": {"restaurant": "{r1}"}}}]}`, "r"},
	{"PUT", "/api/users/1?status=draft&populate[favorites]=true", `{"username": "nobody"}`, ""},
	{"POST", "/graphql", `{"query": "mutation { updateRestaurant(documentId: \"{r1}\", status: DRAFT, data: { tagline: \"mine\" }) { name chef { name } nearby { name chef { name } } } }"}`, "rc"},
	{"POST", "/graphql", `{"query": "mutation @atomic { updateRestaurant(documentId: \"{r1}\", status: DRAFT, data: { nearby: [\"{r2}\", \"{r3}\"] }) { nearby { name } } updateCategory(documentId: \"{cat}\", data: { code: 7 }) { restaurants { name } } }"}`, "r"},
}

// sight is everything that a caller sees of a response.
type sight struct {
	header, body string
	version      string // of the document, and the tag that begins with it
}

func sightOf(a *answer) sight {
	seen := sight{body: a.body}
	if version := a.header.Get(versionHeader); version != "" {
		seen.version = version + a.header.Get("Etag")
		a.header.Del(versionHeader)
		a.header.Del("Etag")
	}
	seen.header = fmt.Sprint(a.status, a.header)
	return seen
}

// Ids and times differ because of what others write in between.
var unlike = regexp.MustCompile(`"id":\d+|"documentId":"[a-z0-9]+"|"(created|updated|published)At":"[^"]+"|"version":\d+`)

// sights returns what each caller sees.
func (s *draftSite) sights(method, path, body string) map[string]sight {
	s.t.Helper()
	answers := map[string]sight{}
	for _, caller := range s.callers {
		if method != http.MethodGet && slices.Contains([]string{"reader-c", "reader-d", "reader-h", "reader-r", "nobody", "all"}, caller.as) {
			continue // the same as a token, and writes take long
		}
		a := s.ask(caller.as, method, path, body)
		if a.status >= 500 || a.status == 400 || a.status == 404 {
			s.t.Errorf("%s %s as %q: %d %s", method, path, caller.as, a.status, a.body)
		}
		a.header.Del("X-Request-Id")
		if method == http.MethodGet {
			answers[caller.as] = sightOf(a)
		} else {
			answers[caller.as] = sight{body: unlike.ReplaceAllString(fmt.Sprint(a.status, a.body), "")}
		}
	}
	return answers
}

// compare requires that responses changed only for callers who may read the drafts of
// the changed type. For them, the version of a document counts its drafts, whatever
// they read. It reports whether the response of at least one of them has changed.
func (s *draftSite) compare(way string, letter byte, sees string, before, after map[string]sight) bool {
	s.t.Helper()
	shown := strings.IndexByte(sees, letter) >= 0
	for _, caller := range s.callers {
		was, is := before[caller.as], after[caller.as]
		if strings.IndexByte(caller.reads, letter) >= 0 {
			was.version, is.version = "", ""
		}
		open := sees != "" && strings.IndexByte(caller.reads, letter) >= 0
		if was != is && (!open || !shown && was.body != is.body) {
			s.t.Errorf("%s: %q, who reads drafts of %q, sees that drafts of %s changed:\n%s\n%s", way, caller.as, caller.reads, draftTypes[letter], was, is)
		}
	}
	return before["full"].body != after["full"].body
}

// follow sends each request before and after a change of the drafts of each type, and
// requires that it shows the types that it lists.
func (s *draftSite) follow(ways []draftWay, letters string) {
	s.t.Helper()
	before, shown := make([]map[string]sight, len(ways)), map[string]bool{}
	for i, w := range ways {
		s.sights(w.method, w.path, w.body)
		before[i] = s.sights(w.method, w.path, w.body)
	}
	for _, letter := range []byte(letters) {
		s.change(letter)
		for i, w := range ways {
			after := s.sights(w.method, w.path, w.body)
			if s.compare(w.method+" "+w.path, letter, w.sees, before[i], after) {
				shown[w.path+string(letter)] = true
			}
			before[i] = after
		}
	}
	for _, w := range ways {
		for _, letter := range w.sees {
			if !shown[w.path+string(letter)] {
				s.t.Errorf("%s %s: nobody sees that drafts of %s change", w.method, w.path, draftTypes[byte(letter)])
			}
		}
	}
}

func TestDraftsAreSeenByWhoMayReadThem(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	published := strings.NewReplacer("status=draft&", "", "status=draft", "")
	var ways []draftWay
	for _, r := range draftReads {
		ways = append(ways, draftWay{"GET", r.path, "", r.sees})
		if path := published.Replace(r.path); path != r.path && !strings.Contains(path, "ublicationFilter") && !strings.Contains(path, "hasPublished") && !strings.Contains(path, "{r3}") {
			ways = append(ways, draftWay{"GET", path, "", ""})
		}
	}
	s.follow(ways, draftLetters+draftLetters)
}

func TestAnswersToWritesShowNoOtherDrafts(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	for i := range draftWrites {
		s.follow(draftWrites[i:i+1], draftLetters) // one after the other, because each changes drafts itself
	}
}

// A caller who may write a draft but not read it gets back the whole input.
func TestAWriterSeesWhatItSent(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	for _, one := range []struct{ path, data, shown, hidden string }{
		{"/api/restaurants/{r1}?status=draft", `{"name": "mine"}`, `"name":"mine" "documentId" "updatedAt" "publishedAt" "locale"`, `"stars" "createdAt" "slug"`},
		{"/api/restaurants/{r1}?status=draft&fields=name,stars", `{"name": "mine", "vegan": true}`, `"name":"mine"`, `"stars" "vegan" "locale"`},
		{"/api/restaurants/{r1}?status=draft&populate=opening_hours", `{"opening_hours": [{"day": "tue"}]}`, `"day":"tue"`, `"name"`},
		{"/api/restaurants/{r1}?status=draft&populate=categories", `{"categories": ["{child2}"]}`, `"name":"three"`, `"stars"`},
		{"/api/restaurants/{r1}?status=draft&populate=chef", `{"chef": {"connect": ["{c2}"]}}`, `"public 2"`, `"stars"`},
		{"/api/restaurants/{r1}?status=draft&populate=chef", `{"chef": "{c3}"}`, `"chef":null`, `"stars" "public_3"`},
		{"/api/restaurants/{r1}?status=draft&populate=categories", `{"categories": {"disconnect": ["{child}"]}}`, `"documentId"`, `"categories"`},
		{"/api/restaurants/{r1}?status=draft", `{}`, `"documentId"`, `"name" "stars"`},
		{"/api/restaurants/{r1}", `{"name": "published"}`, `"name":"published" "stars" "createdAt"`, ``},
	} {
		a := s.send("none", "PUT", s.named(one.path), s.named(`{"data": `+one.data+`}`))
		for _, text := range strings.Fields(one.shown) {
			if a.status != 200 || !strings.Contains(a.body, strings.ReplaceAll(text, "_", " ")) {
				t.Errorf("%s %s: %s is missing in %d %s", one.path, one.data, text, a.status, a.body)
			}
		}
		for _, text := range strings.Fields(one.hidden) {
			if strings.Contains(a.body, strings.ReplaceAll(text, "_", " ")) {
				t.Errorf("%s %s: %s is in %s", one.path, one.data, text, a.body)
			}
		}
	}
	a := s.send("none", "POST", "/api/restaurants?status=draft&populate=*", s.named(`{"data": {"name": "mine", "categories": ["{cat}"]}}`))
	if a.status != 201 || !strings.Contains(a.body, `"price_tier":"p2"`) || !strings.Contains(a.body, `"name":"one"`) {
		t.Errorf("a new draft is not shown whole: %d %s", a.status, a.body)
	}
}

// Without the drafts of a type, the published version takes their place.
func TestThePublishedVersionStandsIn(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	const path = "/api/categories/{cat}?status=draft&populate[restaurants][fields]=name&populate[restaurants][sort]=name&fields=name"
	names := func(as string) []string {
		var found []string
		for _, m := range regexp.MustCompile(`"name":"([^"]*)"`).FindAllStringSubmatch(s.send(as, "GET", s.named(path), "").body, -1) {
			found = append(found, m[1])
		}
		return found
	}
	if got := names(""); !slices.Equal(got, []string{"one", "public 1"}) {
		t.Errorf("the public sees %q", got)
	}
	if full := names("full"); slices.Contains(full, "public 1") || !slices.Equal(full, names("only-r")) {
		t.Errorf("who may read drafts sees %q, and with a token for restaurants %q", full, names("only-r"))
	}
	if got := s.send("", "GET", "/api/restaurants?status=draft", ""); got.status != 403 {
		t.Errorf("drafts of the type itself: %d", got.status)
	}
}

// A document with only a draft looks like one that does not exist, including the
// header.
func TestADraftAloneLooksLikeNothing(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	look := func(method, path string) string {
		a := s.send("", method, s.named(path), "")
		a.header.Del("X-Request-Id")
		return fmt.Sprint(a.status, a.header, a.body)
	}
	for _, method := range []string{"GET", "HEAD"} {
		s.write(204, "DELETE", "/api/homepage", "")
		nothing := look(method, "/api/homepage")
		s.write(200, "PUT", "/api/homepage?status=draft", `{"data": {"title": "x", "sections": [{"__component": "section.quote", "text": "q"}]}}`)
		if draft := look(method, "/api/homepage"); draft != nothing || !strings.HasPrefix(draft, "404") {
			t.Errorf("%s: without a homepage\n%s\nand with the draft of one\n%s", method, nothing, draft)
		}
		for _, params := range []string{"", "?locale=fr", "?populate=*"} {
			if draft, nothing := look(method, "/api/restaurants/{r3}"+params), look(method, "/api/restaurants/nothing"+params); draft != nothing {
				t.Errorf("%s: a restaurant with a draft\n%s\nand none\n%s", method, draft, nothing)
			}
		}
	}
}

// If a draft cannot be published, a caller who may not read it gets the paths, and not
// the values. Private values are shown to nobody.
func TestARefusedPublicationShowsNoDraft(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	s.make("short", "/api/restaurants?status=draft", `{"name": "Q"}`)
	for _, one := range []struct{ as, data, value string }{
		{"none", `{}`, ``},
		{"none", `{"stars": 1}`, ``},
		{"not-r", `{}`, ``},
		{"none", `{"name": "Q"}`, `"value":"Q"`},
		{"full", `{}`, `"value":"Q"`},
	} {
		a := s.send(one.as, "PUT", s.named("/api/restaurants/{short}"), `{"data": `+one.data+`}`)
		if a.status != 400 || !strings.Contains(a.body, "name must be at least 2 characters") || !strings.Contains(a.body, one.value) || one.value == "" && strings.Contains(a.body, `"value"`) {
			t.Errorf("%s publishes %s: %d %s", one.as, one.data, a.status, a.body)
		}
	}
}
