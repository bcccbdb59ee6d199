package endurance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// A site of texts of a million bytes, under every kind of query that needs an index of them
// at once, with little memory: the program survives, takes bounded memory, refuses what it
// has no memory for with the attribute, and answers a plain list meanwhile.
func TestIndexesOfLongTexts(t *testing.T) {
	site := longTextSite(t, 30)
	c := program.ServeCommand(t, site)
	c.Env = append(os.Environ(), "GOMEMLIMIT=256MiB")
	p := program.Start(t, c)
	get := func(path string) (status int, body string, took time.Duration) {
		begun := time.Now()
		r, err := http.Get(p.URL + path)
		if err != nil {
			t.Error(err)
			return 0, "", 0
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(text), time.Since(begun)
	}
	var queries []string
	for _, a := range []string{"line", "text", "blob", "part][line", "pages][line", "others][text"} {
		for _, op := range []string{"$eq", "$gt", "$containsi", "$startsWith", "$ne"} {
			if a == "blob" && (op == "$gt" || op == "$startsWith") {
				continue // not for JSON
			}
			queries = append(queries, "filters["+a+"]["+op+"]=x")
		}
	}
	queries = append(queries, "filters[line][$gt]="+strings.Repeat("x", 4000), "_q=x", "filters[others][line]=x&_q=y")
	for _, a := range []string{"line", "text", "blob", "part.line", "others.text"} {
		queries = append(queries, "sort="+a, "sort="+a+":desc")
	}
	var requested sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	unnamed := ""
	for _, q := range queries {
		requested.Go(func() {
			status, body, _ := get("/api/longs?fields=id&pagination[pageSize]=1&" + q)
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
			if status == http.StatusServiceUnavailable && strings.Contains(body, "no memory") && !strings.Contains(body, "api::long.long by ") {
				unnamed = q + ": " + body
			}
		})
	}
	for _, q := range []string{"groupBy=line", "min=text", "max=line"} {
		requested.Go(func() { get("/api/longs/_aggregate?" + q) })
	}
	busy := make(chan struct{})
	go func() { requested.Wait(); close(busy) }()
	var took []time.Duration
	for open := true; open; {
		select {
		case <-busy:
			open = false
		default:
			status, body, d := get("/api/plains")
			if status != http.StatusOK {
				t.Fatalf("a plain list: %d %s", status, body)
			}
			took = append(took, d)
		}
	}
	slices.Sort(took)
	t.Logf("%d queries: %v; %d plain lists meanwhile: half within %s, 99 of 100 within %s; %d MiB at most", len(queries), answers, len(took), took[len(took)/2], took[len(took)*99/100], peakMemory(t, p))
	if answers[http.StatusOK]+answers[http.StatusServiceUnavailable] != len(queries) || answers[http.StatusServiceUnavailable] == 0 {
		t.Errorf("the queries were answered %v", answers)
	}
	if unnamed != "" {
		t.Errorf("the attribute is not named: %s", unnamed)
	}
	if len(took) < 20 { // they do not wait for one query after the other
		t.Errorf("only %d plain lists were answered meanwhile", len(took))
	}
	if n := peakMemory(t, p); n > 1200 {
		t.Errorf("the program took %d MiB", n)
	}
}

// longTextSite makes a site whose content is n entries with texts of a million bytes in each
// attribute, and a type of short ones.
func longTextSite(t *testing.T, n int) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	program.Succeed(t, "new", "--template", "blank", site)
	const long = `"line": {"type": "text"}, "text": {"type": "richtext"}, "blob": {"type": "json"}`
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(site, name)
		requireNil(t, os.MkdirAll(filepath.Dir(path), 0o755))
		requireNil(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("src/components/a/part.json", `{"collectionName": "parts", "info": {"displayName": "Part"}, "attributes": {"line": {"type": "text"}}}`)
	schemaOf := func(singular, plural, attributes string) {
		write("src/api/"+singular+"/content-types/"+singular+"/schema.json", fmt.Sprintf(`{"kind": "collectionType", "collectionName": %[2]q,
			"info": {"singularName": %[1]q, "pluralName": %[2]q, "displayName": %[1]q}, "options": {}, "attributes": {%[3]s}}`, singular, plural, attributes))
	}
	schemaOf("long", "longs", long+`, "part": {"type": "component", "component": "a.part"}, "pages": {"type": "component", "component": "a.part", "repeatable": true},
		"others": {"type": "relation", "relation": "manyToMany", "target": "api::long.long"}`)
	schemaOf("plain", "plains", `"name": {"type": "string"}`)
	write("site.json", `{"roles": {"public": {"api::long.long": ["find"], "api::plain.plain": ["find"]}}}`)
	file, err := os.Create(filepath.Join(t.TempDir(), "longs.ndjson"))
	requireNil(t, err)
	lines := bufio.NewWriter(file)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		text := longText(rng)
		data := map[string]any{"line": text, "text": "ﷺ" + text, "blob": text, "part": map[string]string{"line": text}, "pages": []map[string]string{{"line": text}}}
		if i > 0 {
			data["others"] = []string{fmt.Sprintf("long%020d", i-1)}
		}
		line, _ := json.Marshal(map[string]any{"type": "api::long.long", "documentId": fmt.Sprintf("long%020d", i), "data": data})
		lines.Write(append(line, '\n'))
	}
	for i := range 100 {
		fmt.Fprintf(lines, `{"type": "api::plain.plain", "data": {"name": "Plain %d"}}`+"\n", i)
	}
	requireNil(t, lines.Flush())
	program.Succeed(t, "import", site, file.Name())
	return site
}

// longText is a text of about 600,000 bytes: words that no other text has, and letters that
// stand for whole sentences when they are sorted.
func longText(rng *rand.Rand) string {
	var b strings.Builder
	for b.Len() < 600_000 {
		fmt.Fprintf(&b, "%x ﷺ한", rng.Uint64())
	}
	return b.String()
}
