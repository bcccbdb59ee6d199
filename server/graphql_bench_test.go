package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// listByGraphQL and listByREST ask for the same: 25 restaurants with two relations.
const (
	listByGraphQL = `{ restaurants(sort: "name", pagination: {limit: 25}) { documentId name stars tagline chef { documentId name } categories { documentId name } } }`
	listByREST    = "/api/restaurants?sort=name&pagination[limit]=25&fields=name,stars,tagline&populate[chef][fields]=name&populate[categories][fields]=name"
)

// openRelated serves 100 restaurants, each with a chef and two categories.
func openRelated(t testing.TB) http.Handler {
	t.Helper()
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	s, keys, _ := open(t, t.TempDir(), site, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	s.StopCaching()
	h, token := s.Handler(), createToken(t, keys, "bench", "full-access")
	create := func(plural, data string) string {
		r := httptest.NewRequest("POST", "/api/"+plural, strings.NewReader(`{"data": `+data+`}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var answer struct{ Data struct{ DocumentID string } }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated {
			t.Fatal(w.Code, w.Body)
		}
		return answer.Data.DocumentID
	}
	var chefs, categories []string
	for i := range 10 {
		chefs = append(chefs, create("chefs", fmt.Sprintf(`{"name": "Chef %d"}`, i)))
		categories = append(categories, create("categories", fmt.Sprintf(`{"name": "Category %d", "code": %d}`, i, i)))
	}
	for i := range 100 {
		create("restaurants", fmt.Sprintf(`{"name": "Restaurant %d", "tagline": "Fresh every day", "stars": %d, "chef": %q, "categories": [%q, %q]}`, i, i%6, chefs[i%10], categories[i%10], categories[(i+3)%10]))
	}
	return h
}

// BenchmarkGraphQLBesideREST sends the same list in turn as a POST of the query, as a GET of
// its hash, and by REST. of-REST is how many times as long GraphQL takes, by medians.
func BenchmarkGraphQLBesideREST(b *testing.B) {
	h := openRelated(b)
	body, err := json.Marshal(map[string]string{"query": listByGraphQL})
	check(b, err)
	w := &discarding{header: http.Header{}}
	took := map[string][]time.Duration{}
	send := func(way string, r *http.Request) {
		clear(w.header)
		begun := time.Now()
		h.ServeHTTP(w, r)
		took[way] = append(took[way], time.Since(begun))
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
	for b.Loop() {
		r := httptest.NewRequest("POST", "/graphql", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		send("POST", r)
		send("hash", persisted(listByGraphQL, false))
		send("REST", httptest.NewRequest("GET", listByREST, nil))
	}
	rest := quantile(took["REST"], .5)
	b.ReportMetric(float64(rest.Nanoseconds()), "ns/REST")
	for _, way := range []string{"POST", "hash"} {
		b.ReportMetric(ratio(quantile(took[way], .5), rest), way+"-of-REST")
	}
}

// The lists of the benchmark show the same restaurants, and nothing is missing in them.
func TestTheListsOfTheBenchmarkAreTheSame(t *testing.T) {
	h := openRelated(t)
	_, byGraphQL := askGraphQL(t, h, "", listByGraphQL, nil)
	byREST := serveOnce(h, httptest.NewRequest("GET", listByREST, nil)).Body.String()
	for _, part := range []string{`"name":"Restaurant `, `"chef":{`, `"name":"Category `} {
		if n := strings.Count(byGraphQL, part); n < 25 || n != strings.Count(byREST, part) {
			t.Errorf("%s: %d times\n%s\n%s", part, n, byGraphQL, byREST)
		}
	}
}
