package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/schema/settings"
)

// openGraphQL serves the sample site with GraphQL, with a published restaurant and a draft.
func openGraphQL(t testing.TB) (http.Handler, map[string]string) {
	t.Helper()
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	h, tokens := openTokens(t, t.TempDir(), site)
	askGraphQL(t, h, tokens["full"], `mutation { createRestaurant(data: {name: "Open", stars: 4, secret_note: "xyzzy"}) { name } }`, nil)
	askGraphQL(t, h, tokens["full"], `mutation { createRestaurant(status: DRAFT, data: {name: "Hidden", secret_note: "xyzzy"}) { name } }`, nil)
	return h, tokens
}

func askGraphQL(t testing.TB, h http.Handler, token, query string, variables any) (status int, body string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	check(t, err)
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(text)))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
		t.Errorf("%.200s: the response is not JSON: %.300s", query, w.Body)
	}
	return w.Code, w.Body.String()
}

// A visitor gets neither drafts nor private values by GraphQL, and nothing that a client
// sends is a fault of the server.
func TestGraphQLKeepsSecrets(t *testing.T) {
	h, tokens := openGraphQL(t)
	many := strings.Builder{}
	for i := range 1000 {
		many.WriteString(" a" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + ": restaurants { name }")
	}
	for _, query := range []string{
		`{ restaurants(status: DRAFT) { name } }`,
		`{ restaurants { name publishedAt } }`,
		`{ restaurants(publicationFilter: NEVER_PUBLISHED) { name } }`,
		`{ restaurants(hasPublishedVersion: false) { name } }`,
		`{ restaurants { x: secret_note } }`,
		`{ ...F } fragment F on Query { restaurants { ...G } } fragment G on Restaurant { secret_note }`,
		`{ restaurants(filters: {secret_note: {eq: "xyzzy"}}) { name } }`,
		`{ restaurants(filters: {or: [{not: {chef: {restaurants: {secret_note: {eq: "xyzzy"}}}}}]}) { name } }`,
		`{ restaurants(sort: "secret_note") { name } }`,
		`{ restaurants(sort: "chef.restaurants.secret_note") { name } }`,
		`{ chefs { restaurants(sort: "secret_note") { name } } }`,
		`{ restaurants { nearby(filters: {reviews: {note: {gt: 1}}}) { name } } }`,
		`{ restaurants_connection { nodes { reviews { note } } pageInfo { total } } }`,
		`{ usersPermissionsUsers { username email } me { email } uploadFiles { url } i18NLocales { code } }`,
		`mutation { createRestaurant(data: {name: "Hidden 2"}) { name } deleteRestaurant(documentId: "x") { documentId } }`,
		`mutation { updateUsersPermissionsUser(id: "1", data: {username: "x"}) { data { username } } deleteUploadFile(id: "../../api/users/1") { name } }`,
		`mutation { createUsersPermissionsRole(data: {name: "x"}) { ok } }`,
		"{" + many.String() + " }",
		`{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
		`{ restaurants { nearby ` + strings.Repeat("{ nearby ", 200) + "{ name }" + strings.Repeat("}", 200) + ` } }`,
		"{ restaurants(filters: {name: {eq: \"\u0000\"}}) { name } }",
		`{ restaurants(filters: {name: {eq: "\u0000"}}, sort: "\u0000", pagination: {page: -5, pageSize: 2147483647}) { name } }`,
		`{ restaurants(pagination: {start: 2147483647, limit: 2147483647}) { name } }`,
		`{ restaurant(documentId: "") { name } a: restaurant(documentId: 5) { name } b: restaurant(documentId: "../x") { name } }`,
		`{ __schema { types { fields { type { fields { type { fields { type { fields { type { fields { name } } } } } } } } } } } }`,
		`mutation { login(input: {identifier: "\u0000", password: "\u0000", provider: "x"}) { jwt } }`,
		`mutation { resetPassword(password: "a", passwordConfirmation: "b", code: "c") { jwt } emailConfirmation(confirmation: "x") { jwt } }`,
		`mutation { changePassword(currentPassword: "a", password: "b", passwordConfirmation: "b") { jwt } }`,
	} {
		status, body := askGraphQL(t, h, "", query, nil)
		if status >= 500 || strings.Contains(body, "Hidden") && strings.Contains(body, `"name":"Hidden`) || strings.Contains(body, "xyzzy\"}") {
			t.Errorf("%.200s: %d %.300s", query, status, body)
		}
		if status, body := askGraphQL(t, h, tokens["full"], query, nil); status >= 500 || strings.Contains(body, "INTERNAL_SERVER_ERROR") {
			t.Errorf("%.200s, with all rights: %d %.300s", query, status, body)
		}
	}
}

// Long aliases do not make the errors of a short response long.
func TestGraphQLErrorsAreShort(t *testing.T) {
	h, tokens := openGraphQL(t)
	for range 30 {
		askGraphQL(t, h, tokens["full"], `mutation { createRestaurant(data: {name: "Another"}) { name } }`, nil)
	}
	query := `{ restaurants(pagination: {limit: -1}) { ` + strings.Repeat("k", 100_000) + `: reviews { note } } }`
	if _, body := askGraphQL(t, h, "", query, nil); len(body) > 1<<20+10_000 || !strings.Contains(body, "FORBIDDEN") {
		t.Errorf("%d bytes: %.300s", len(body), body)
	}
}

// The parameters of one list can be wrong: the response names it wherever it would be, and
// shows the rest.
func TestGraphQLShowsTheRestBesideAWrongList(t *testing.T) {
	h, tokens := openGraphQL(t)
	askGraphQL(t, h, tokens["full"], `mutation { createReview(data: {note: 3}) { note } createChef(data: {name: "Ana"}) { name } }`, nil)
	for _, test := range [][2]string{
		{`{ chefs { name restaurants_connection(sort: "nope") { nodes { name } } } }`, `{"data":{"chefs":[{"name":"Ana","restaurants_connection":null}]},"errors":[{"message":"Invalid key nope","path":["chefs",0,"restaurants_connection"]`},
		{`{ chefs { name restaurants(pagination: {page: 1, limit: 2}) { name } } reviews { note } }`, `{"data":{"chefs":[null],"reviews":[{"note":3}]},"errors":[{"message":"Cannot use both page`},
		{`{ chefs(filters: {name: {eq: "Nobody"}}) { restaurants(sort: "nope") { name } } }`, `{"data":{"chefs":[]}}`},
		{`mutation { createChef(data: {name: "Bo"}) { name restaurants_connection(sort: "x") { __typename } } }`, `{"data":{"createChef":{"name":"Bo","restaurants_connection":null}},"errors":[{"message":"Invalid key x","path":["createChef","restaurants_connection"]`},
	} {
		if _, body := askGraphQL(t, h, tokens["full"], test[0], nil); !strings.HasPrefix(body, test[1]) {
			t.Errorf("%s: %s", test[0], body)
		}
	}
}

// What is wrong in a list is long for each of many records, and the response stays short.
func TestGraphQLWrongListsAreShort(t *testing.T) {
	h, tokens := openGraphQL(t)
	for range 30 {
		askGraphQL(t, h, tokens["full"], `mutation { createRestaurant(data: {name: "Another"}) { name } }`, nil)
	}
	query := `{ restaurants(pagination: {limit: -1}) { reviews_connection(sort: "` + strings.Repeat("k", 100_000) + `") { nodes { note } } } }`
	if _, body := askGraphQL(t, h, tokens["full"], query, nil); len(body) > 4<<20 || !strings.Contains(body, "BAD_USER_INPUT") {
		t.Errorf("%d bytes: %.300s", len(body), body)
	}
}

// Big integers that a number of JavaScript cannot hold are texts, as in Strapi.
func TestGraphQLKeepsTheDigitsOfBigIntegers(t *testing.T) {
	h, tokens := openGraphQL(t)
	for given, want := range map[string]string{"9007199254740991": "9007199254740991", `"9007199254740993"`: `"9007199254740993"`, `"-9223372036854775808"`: `"-9223372036854775808"`} {
		_, body := askGraphQL(t, h, tokens["full"], `mutation { createRestaurant(data: {name: "Large", seats: `+given+`}) { seats } }`, nil)
		if body != `{"data":{"createRestaurant":{"seats":`+want+`}}}` {
			t.Errorf("%s: %s", given, body)
		}
	}
}

// Whole numbers in variables may be written with a point or an exponent, as in JavaScript.
func TestGraphQLReadsWholeNumbers(t *testing.T) {
	h, tokens := openGraphQL(t)
	const query = `query($n: Int, $l: Long) { restaurants(filters: {stars: {eq: $n}, or: [{seats: {ne: $l}}, {seats: {null: true}}]}) { name } }`
	for _, number := range []string{"4", "4.0", "40e-1"} {
		_, body := askGraphQL(t, h, tokens["full"], query, map[string]json.RawMessage{"n": json.RawMessage(number), "l": json.RawMessage(number)})
		if body != `{"data":{"restaurants":[{"name":"Open"}]}}` {
			t.Errorf("%s: %s", number, body)
		}
	}
}

// A list without a limit is one page, with what is left from its start.
func TestGraphQLPagesWithoutALimit(t *testing.T) {
	h, tokens := openGraphQL(t)
	askGraphQL(t, h, tokens["full"], `mutation { a: createChef(data: {name: "A"}) { name } b: createChef(data: {name: "B"}) { name } c: createChef(data: {name: "C"}) { name } }`, nil)
	for pagination, want := range map[string]string{
		`{limit: -1}`:           `{"page":1,"pageSize":3,"pageCount":1,"total":3}`,
		`{start: 1, limit: -1}`: `{"page":1,"pageSize":2,"pageCount":1,"total":3}`,
		`{start: 9, limit: -1}`: `{"page":1,"pageSize":0,"pageCount":1,"total":3}`,
	} {
		_, body := askGraphQL(t, h, tokens["full"], `{ chefs_connection(pagination: `+pagination+`) { pageInfo { page pageSize pageCount total } } }`, nil)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", pagination, body)
		}
	}
}

// Items of a dynamic zone are as over REST: an enumeration has its values, and the response
// shows their names in GraphQL.
func TestGraphQLTakesValuesInDynamicZones(t *testing.T) {
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	site.Type("api::homepage.homepage").Attribute("sections").Zone[0].Attribute("style").Enum = []string{"very big", "primary"}
	h, tokens := openTokens(t, t.TempDir(), site)
	const update = `mutation($s: [HomepageSectionsDynamicZoneInput!]) { updateHomepage(data: {title: "T", sections: $s}) { sections { ... on ComponentSectionCta { style } } } }`
	for style, want := range map[string]string{"very big": `{"data":{"updateHomepage":{"sections":[{"style":"very_big"}]}}}`, "very_big": `{"data":{"updateHomepage":null},"errors":[{"message":"sections[0].style must be one of`} {
		_, body := askGraphQL(t, h, tokens["full"], update, map[string]any{"s": []any{map[string]any{"__typename": "ComponentSectionCta", "label": "L", "style": style}}})
		if !strings.HasPrefix(body, want) {
			t.Errorf("%s: %s", style, body)
		}
	}
}

// Deleting a file that does not exist is null and no error, as in Strapi.
func TestGraphQLDeletesNoFile(t *testing.T) {
	h, tokens := openGraphQL(t)
	if _, body := askGraphQL(t, h, tokens["full"], `mutation { deleteUploadFile(id: "99") { name } }`, nil); body != `{"data":{"deleteUploadFile":null}}` {
		t.Error(body)
	}
}

// Writers who may not read drafts see what they wrote themselves, and the rest is forbidden
// to them: it is no fault of the server.
func TestGraphQLShowsWritersWhatTheyWrote(t *testing.T) {
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	s, keys, _ := open(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	drafter, err := keys.CreateToken(t.Context(), auth.TokenSpec{Name: "drafter", Kind: auth.Custom, Permissions: []string{"api::dish.dish.updateDraft"}})
	check(t, err)
	_, body := askGraphQL(t, s.Handler(), createToken(t, keys, "full", auth.FullAccess), `mutation { createDish(status: DRAFT, data: {name: "Soup"}) { documentId } }`, nil)
	id := strings.Split(body, `"`)[7]
	for members, want := range map[string]string{
		`documentId price`: `"price":5}`,
		`price name`:       `{"updateDish":null},"errors":[{"message":"Forbidden access","path":["updateDish","name"]`,
	} {
		_, body := askGraphQL(t, s.Handler(), drafter, `mutation { updateDish(documentId: "`+id+`", status: DRAFT, data: {price: 5}) { `+members+` } }`, nil)
		if !strings.Contains(body, want) || strings.Contains(body, "Soup") {
			t.Errorf("%s: %s", members, body)
		}
	}
}

// Users who sign in see their role, with its id.
func TestGraphQLShowsUsersTheirRole(t *testing.T) {
	h, tokens := openGraphQL(t)
	askGraphQL(t, h, tokens["full"], `mutation { createUsersPermissionsUser(data: {username: "dave", email: "dave@example.com", password: "long enough", role: 1, confirmed: true}) { data { username } } }`, nil)
	_, body := askGraphQL(t, h, "", `mutation { login(input: {identifier: "dave", password: "long enough"}) { user { id role { id type } } } }`, nil)
	if body != `{"data":{"login":{"user":{"id":"1","role":{"id":"1","type":"authenticated"}}}}}` {
		t.Error(body)
	}
}

// Mutations of users take and show the relations that the site adds to users, each with the
// permission to find what it leads to.
func TestGraphQLWritesTheRelationsOfUsers(t *testing.T) {
	s := openDrafts(t)
	ask := func(as, query string) string {
		t.Helper()
		_, body := askGraphQL(t, s.handler, as, s.named(query), nil)
		return body
	}
	const shown = `{ data { username favorites(sort: "name") { name } role { type } } }`
	for _, step := range [][2]string{
		{`mutation { createUsersPermissionsUser(data: {username: "eve", email: "eve@example.org", password: "long enough", role: 1, favorites: ["{r1}", "{r2}"]}) ` + shown + ` }`,
			`{"data":{"createUsersPermissionsUser":{"data":{"username":"eve","favorites":[{"name":"public 1"},{"name":"public 2"}],"role":{"type":"authenticated"}}}}}`},
		{`mutation { updateUsersPermissionsUser(id: "{eve}", data: {favorites: ["{r1}"]}) { __typename a: data { favorites { name chef { name } } } b: data { favorites_connection { nodes { documentId } } } } }`,
			`{"data":{"updateUsersPermissionsUser":{"__typename":"UsersPermissionsUserEntityResponse","a":{"favorites":[{"name":"public 1","chef":{"name":"public 1"}}]},"b":{"favorites_connection":{"nodes":[{"documentId":"{r1}"}]}}}}}`},
		{`mutation { updateUsersPermissionsUser(id: "{eve}", data: {favorites: ["missing"]}) ` + shown + ` }`, `"path":["updateUsersPermissionsUser"]`},
		{`mutation { updateUsersPermissionsUser(id: "99", data: {favorites: []}) ` + shown + ` }`, `"name":"NotFoundError"`},
		{`mutation { deleteUsersPermissionsUser(id: "{eve}") ` + shown + ` }`, `"username":"eve","favorites":[{"name":"public 1"}]`},
	} {
		if body := ask(s.tokens["full"], step[0]); !strings.Contains(body, s.named(step[1])) {
			t.Errorf("%s: %s", step[0], body)
		}
		if s.names["eve"] == "" {
			s.names["eve"] = regexp.MustCompile(`"documentId":"(\w+)"`).FindStringSubmatch(s.send("full", "GET", "/api/users?filters[username]=eve", "").body)[1]
		}
	}
	keeper, err := s.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "keeper of users", Kind: auth.Custom, Permissions: []string{auth.UpdateUser.String()}})
	check(t, err)
	if body := ask(keeper, `mutation { updateUsersPermissionsUser(id: "2", data: {confirmed: true}) { data { username favorites { name } } } }`); !strings.Contains(body, `"path":["updateUsersPermissionsUser","data","favorites"]`) || strings.Contains(body, "public") {
		t.Errorf("without the permission to find restaurants: %s", body)
	}
}

// Data of a wrong type is refused, with a place in it or without.
func TestGraphQLRefusesWrongData(t *testing.T) {
	h, tokens := openGraphQL(t)
	const create = `mutation($d: RestaurantInput!) { createRestaurant(data: $d) { documentId } }`
	for _, data := range []string{
		`null`, `5`, `"x"`, `[]`, `{"name": 5}`, `{"name": "Wrong", "meta": "not JSON"}`, `{"name": "Wrong", "categories": ["\u0000"]}`, `{"name": "Wrong \u0000"}`,
		`{"name": "Wrong", "sections": [5]}`, `{"name": "Wrong", "sections": [{"__typename": "ComponentPlaceAddress"}]}`,
		`{"name": "Wrong", "sections": [{"__typename": "Restaurant"}]}`, `{"name": "Wrong", "stars": 1e400}`, `{"name": "Wrong", "opening_hours": [{"id": "x"}]}`,
	} {
		status, body := askGraphQL(t, h, tokens["full"], create, map[string]json.RawMessage{"d": json.RawMessage(data)})
		if status >= 500 || !strings.Contains(body, "BAD_USER_INPUT") {
			t.Errorf("%s: %d %s", data, status, body)
		}
	}
	if _, body := askGraphQL(t, h, tokens["full"], `{ restaurants(status: DRAFT) { name } }`, nil); strings.Contains(body, "Wrong") {
		t.Errorf("a refused write was stored: %s", body)
	}
}

// GET runs queries and no mutations, and there is no GraphQL unless site.json says so.
func TestGraphQLByGet(t *testing.T) {
	h, tokens := openGraphQL(t)
	get := func(h http.Handler, query string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, "/graphql?query="+url.QueryEscape(query), nil)
		r.Header.Set("Authorization", "Bearer "+tokens["full"])
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if status, body := get(h, "{ restaurants { name } }"); status != 200 || body != `{"data":{"restaurants":[{"name":"Open"}]}}` {
		t.Errorf("a query: %d %s", status, body)
	}
	if status, body := get(h, `mutation { deleteRestaurant(documentId: "x") { documentId } }`); status != 405 {
		t.Errorf("a mutation: %d %s", status, body)
	}
	off, _ := openSite(t)
	if status, body := get(off, "{ restaurants { name } }"); status != 404 {
		t.Errorf("switched off: %d %s", status, body)
	}
}

// Each field at the top counts as a request, as the requests of a batch do.
func TestGraphQLCountsItsFields(t *testing.T) {
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	site.Settings.Rate = settings.RequestRate{Max: 10, Interval: time.Hour, Burst: 10}
	h, tokens := openTokens(t, t.TempDir(), site)
	fields := func(n int) string {
		text := ""
		for i := range n {
			text += fmt.Sprintf("f%d: restaurants { name } ", i)
		}
		return "{ " + text + "}"
	}
	for _, step := range []struct{ fields, status int }{{11, 429}, {6, 200}, {6, 429}, {1, 200}} {
		if status, body := askGraphQL(t, h, tokens["full"], fields(step.fields), nil); status != step.status {
			t.Errorf("%d fields: %d %.200s", step.fields, status, body)
		}
	}
}

// The fields of an atomic mutation are all done, or none of them is, and the response says
// so.
func TestAnAtomicMutationIsOneTransaction(t *testing.T) {
	h, tokens := openGraphQL(t)
	ask := func(query string) string {
		_, body := askGraphQL(t, h, tokens["full"], query, nil)
		return body
	}
	dishes := func() string { return ask(`{ dishes(sort: "name") { name } }`) }
	if got := ask(`mutation @atomic { __typename a: createDish(data: {name: "Soup"}) { name } b: createDish(data: {name: "Bread"}) { name } }`); got != `{"data":{"__typename":"Mutation","a":{"name":"Soup"},"b":{"name":"Bread"}}}` {
		t.Fatal(got)
	}
	want := dishes()
	const undone = `{"message":"Nothing of this mutation was done: it is @atomic, and one of its fields failed","extensions":{"code":"ROLLED_BACK"}}]}`
	for query, names := range map[string]string{
		`mutation @atomic { a: createDish(data: {name: "Cake"}) { name } b: createDish(data: {name: "Soup"}) { name } }`:                                      `"path":["b"]`,
		`mutation @atomic { a: createDish(data: {name: "Cake"}) { name } b: createDish(data: {price: 5}) { name } }`:                                          `"path":["b"]`,
		`mutation @atomic { a: createDish(data: {name: "Cake"}) { name } b: createDish(data: {name: "Cake"}) { name } }`:                                      `"path":["b"]`,
		`mutation @atomic { a: createDish(data: {name: "Cake"}) { name } b: updateDish(documentId: "missing", data: {name: "Pie"}) { name } }`:                `"path":["b"]`,
		`mutation @atomic { a: createDish(data: {name: "Soup"}) { name } }`:                                                                                   `"path":["a"]`,
		`mutation @atomic { a: createDish(data: {name: "Cake"}) { name } b: createRestaurant(data: {name: "Cake", categories: ["missing"]}) { documentId } }`: `"path":["b"]`,
	} {
		if got := ask(query); !strings.HasPrefix(got, `{"data":null,"errors":[`) || !strings.Contains(got, names) || !strings.HasSuffix(got, undone) {
			t.Errorf("%s: %s", query, got)
		}
		if got := dishes(); got != want {
			t.Fatalf("%s: something was stored: %s", query, got)
		}
	}
	for query, names := range map[string]string{
		`mutation @atomic { createDish(data: {name: "Cake"}) { name } forgotPassword(email: "a@example.com") { ok } }`: `\"@atomic\" is for mutations of content, and \"forgotPassword\" is not one.`,
		`query @atomic { dishes { name } }`: `Directive \"@atomic\"`,
	} {
		if got := ask(query); !strings.Contains(got, names) || dishes() != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := ask(`mutation { a: createDish(data: {name: "Cake"}) { name } b: createDish(data: {name: "Soup"}) { name } }`); !strings.HasPrefix(got, `{"data":{"a":{"name":"Cake"},"b":null},"errors":[`) || dishes() == want {
		t.Errorf("without @atomic: %s", got)
	}
}

// GraphQL is served where site.json says, with its limits.
func TestGraphQLHasItsEndpointAndLimits(t *testing.T) {
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled, site.Settings.GraphQL.Endpoint, site.Settings.GraphQL.AmountLimit = true, "/api/query", 2
	h, tokens := openTokens(t, t.TempDir(), site)
	for i := range 3 {
		r := httptest.NewRequest(http.MethodPost, "/api/chefs", strings.NewReader(fmt.Sprintf(`{"data": {"name": "Chef %d"}}`, i)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+tokens["full"])
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	w := serveOnce(h, httptest.NewRequest(http.MethodGet, "/api/query?query="+url.QueryEscape(`{ chefs(pagination: {limit: 50}, sort: "name") { name } }`), nil))
	if w.Code != 200 || w.Body.String() != `{"data":{"chefs":[{"name":"Chef 0"},{"name":"Chef 1"}]}}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := serveOnce(h, httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil)); w.Code != 404 {
		t.Errorf("the usual path: %d", w.Code)
	}
}

// Locales are filtered by their texts, as content is.
func TestGraphQLFiltersLocales(t *testing.T) {
	h, tokens := openGraphQL(t)
	for filters, want := range map[string]string{
		`{}`:                             `[{"code":"en"},{"code":"fr"},{"code":"it"}]`,
		`{code: {eq: "fr"}}`:             `[{"code":"fr"}]`,
		`{name: {containsi: "ENGLISH"}}`: `[{"code":"en"}]`,
		`{or: [{code: {eq: "fr"}}, {code: {eq: "en"}}]}`:                               `[{"code":"en"},{"code":"fr"}]`,
		`{and: [{code: {eq: "fr"}}, {code: {eq: "en"}}]}`:                              `[]`,
		`{not: {code: {in: ["fr"]}}}`:                                                  `[{"code":"en"},{"code":"it"}]`,
		`{code: {startsWith: "e", notNull: true}, name: {ne: "x"}}`:                    `[{"code":"en"}]`,
		`{createdAt: {null: true}}`:                                                    "BAD_USER_INPUT",
		`{code: {between: ["a", "f"]}}`:                                                "BAD_USER_INPUT",
		`{or: [{code: {eq: "en"}}, {not: {updatedAt: {eq: "2024-01-01T00:00:00Z"}}}]}`: "BAD_USER_INPUT",
	} {
		if _, body := askGraphQL(t, h, tokens["full"], `{ i18NLocales(sort: "code", filters: `+filters+`) { code } }`, nil); !strings.Contains(body, want) {
			t.Errorf("%s: %s", filters, body)
		}
	}
}
