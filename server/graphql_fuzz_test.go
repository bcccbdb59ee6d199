package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzGraphQL: whatever a client sends, the response is JSON and no defect, and shows nobody
// a draft or a private value.
func FuzzGraphQL(f *testing.F) {
	for _, seed := range [][2]string{
		{`{ restaurants(filters: {and: [{name: {in: ["Open"]}}]}, sort: "name") { documentId n: name chef { name } } }`, ``},
		{`query Q($f: RestaurantFiltersInput = {}, $yes: Boolean!) { restaurants_connection(filters: $f, status: DRAFT) { nodes { name @skip(if: $yes) } b: nodes { chef { name } } pageInfo { total } } }`, `{"f": {"chef": {"name": null}}, "yes": true}`},
		{`{ homepage { sections { __typename ...F } } } fragment F on ComponentSectionRelated { restaurants(pagination: {limit: 1}) { name nearby { name } } }`, ``},
		{`mutation($d: RestaurantInput!) { createRestaurant(data: $d, locale: "fr") { name localizations { name } } }`, `{"d": {"name": "x", "sections": [{"__typename": "ComponentSectionCta", "label": "x"}], "meta": [1.5e3, null]}}`},
		{`mutation @atomic { a: updateRestaurant(documentId: "x", data: {name: "a"}) { name } b: deleteRestaurant(documentId: "x") { documentId } }`, ``},
		{`{ me { email } usersPermissionsRoles { name } i18NLocales(sort: "name:desc", pagination: {start: 1}) { code } __type(name: "Chef") { fields { name } } }`, ``},
		{`mutation { login(input: {identifier: "a", password: "b"}) { jwt } updateUploadFile(id: "1", info: {name: "x"}) { name } }`, ``},
		{`subscription { restaurantChanged(filters: {name: {eq: "x"}}) { action entry { name } } }`, ``},
	} {
		f.Add(seed[0], seed[1])
	}
	h, tokens := openGraphQL(f)
	f.Fuzz(func(t *testing.T, query, variables string) {
		if !json.Valid([]byte(variables)) {
			variables = "null"
		}
		text, err := json.Marshal(map[string]any{"query": query, "variables": json.RawMessage(variables)})
		check(t, err)
		for _, token := range []string{"", tokens["full"]} {
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(text)))
			r.Header.Set("Content-Type", "application/json")
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			w := serveOnce(h, r)
			if w.Code >= 500 && w.Code != 503 || !json.Valid(w.Body.Bytes()) || strings.Contains(w.Body.String(), `"code":"INTERNAL_SERVER_ERROR"`) && !strings.Contains(w.Body.String(), "Cannot return null") {
				t.Fatalf("%q %s: %d %.500s", query, variables, w.Code, w.Body)
			}
			sent := query + variables
			if body := w.Body.String(); token == "" && !strings.Contains(sent, "xyzzy") && !strings.Contains(sent, "Hidden") && (strings.Contains(body, "xyzzy") || strings.Contains(body, `"Hidden"`)) {
				t.Fatalf("%q %s shows a secret: %.500s", query, variables, w.Body)
			}
		}
	})
}
