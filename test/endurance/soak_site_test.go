package endurance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

// The content that is there all the time of a soak; clients read it, link to it
// and leave it as it is.
const (
	soakRestaurants = 1000
	soakChefs       = 20
	soakCategories  = 20
)

func soakChef(i int) string       { return fmt.Sprintf("chef%020d", i) }
func soakCategory(i int) string   { return fmt.Sprintf("category%016d", i) }
func soakRestaurant(i int) string { return fmt.Sprintf("restaurant%014d", i) }

// newSoakSite makes a site with content, and returns its folder and a token of
// full access. Tries are counted there, with a limit that nobody reaches.
func newSoakSite(t *testing.T) (site, token string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	requireNil(t, os.CopyFS(site, os.DirFS("../../testdata/site")))
	settings := map[string]any{}
	name := filepath.Join(site, "site.json")
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err == nil {
		settings["auth"] = map[string]any{"rateLimit": map[string]any{"enabled": true, "max": 1000, "interval": "1s"}}
		text, _ = json.Marshal(settings)
		err = os.WriteFile(name, text, 0o600)
	}
	lines := filepath.Join(t.TempDir(), "guide.ndjson")
	if err == nil {
		err = os.WriteFile(lines, soakContent(), 0o600)
	}
	requireNil(t, err)
	program.Succeed(t, "import", site, lines)
	return site, program.NewToken(t, site, "soak", "full-access")
}

// soakContent is the content as JSON lines.
func soakContent() []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	put := func(kind, id string, data map[string]any) {
		line, _ := json.Marshal(map[string]any{"type": "api::" + kind + "." + kind, "documentId": id, "status": "published", "data": data})
		b.Write(append(line, '\n'))
	}
	for i := range soakCategories {
		put("category", soakCategory(i), map[string]any{"name": fmt.Sprint("Category ", i), "code": i})
	}
	for i := range soakChefs {
		put("chef", soakChef(i), map[string]any{"name": fmt.Sprint("Chef ", i), "bio": someWords(r, 20)})
	}
	for i := range soakRestaurants {
		put("restaurant", soakRestaurant(i), map[string]any{
			"name": fmt.Sprintf("%s %d", someWords(r, 2), i), "slug": fmt.Sprintf("soak-%d", i), "tagline": someWords(r, 8), "story": someWords(r, 60),
			"stars": i % 6, "rating": float64(i%50) / 10, "vegan": i%5 == 0,
			"categories": []string{soakCategory(i % soakCategories), soakCategory((i + 7) % soakCategories)}, "chef": soakChef(i % soakChefs),
			"location":      map[string]any{"street": fmt.Sprint(i, " Quay"), "city": "Lyon"},
			"opening_hours": []any{map[string]any{"day": "mon", "opens": "10:00:00", "closes": "22:00:00"}},
		})
	}
	return b.Bytes()
}

var soakWords = strings.Fields("amber basil cedar dune ember fig grove harbor iris juniper kelp lemon maple nectar olive pepper quince river saffron thyme")

func someWords(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = soakWords[r.IntN(len(soakWords))]
	}
	return strings.Join(words, " ")
}
