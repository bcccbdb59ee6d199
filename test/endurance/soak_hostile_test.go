package endurance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// corpus returns the first value of each input that fuzz targets have kept, in
// whichever package they are.
func corpus(t *testing.T, targets ...string) (values []string) {
	t.Helper()
	for _, target := range targets {
		var files []string
		for _, depth := range []string{"*", "*/*"} {
			more, _ := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(depth), "testdata", "fuzz", target, "*"))
			files = append(files, more...)
		}
		if len(files) == 0 {
			t.Fatalf("%s has no inputs", target)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			lines := strings.Split(string(text), "\n")
			if err != nil || len(lines) < 2 {
				t.Fatalf("%s: %v", name, err)
			}
			_, literal, _ := strings.Cut(lines[1], "(")
			value, err := strconv.Unquote(strings.TrimSuffix(literal, ")"))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			values = append(values, value)
		}
	}
	return values
}

// beHostile sends queries and bodies that were made to do harm.
func beHostile(c *soakClient) (again, leave func()) {
	return func() {
		switch c.random.IntN(3) {
		case 0:
			path := one(c.random, "/api/restaurants", "/api/chefs", "/api/reviews", "/api/restaurants/"+soakRestaurant(0))
			c.send(soakRequest{kind: "abuse: hostile query", path: path + "?" + sendable(one(c.random, c.queries...)), right: []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusRequestURITooLong}})
		case 1:
			c.send(soakRequest{kind: "abuse: hostile body", method: "PUT", path: "/api/restaurants/nothing", body: one(c.random, c.bodies...), bodyType: one(c.random, "application/json", "application/x-www-form-urlencoded"),
				right: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge}})
		case 2:
			c.broken()
		}
	}, func() {}
}

// broken sends a body that is cut, twisted, too deep or too large.
func (c *soakClient) broken() {
	whole := fmt.Sprintf(`{"data": {"name": %q, "stars": 1}}`, someWords(c.random, 3))
	r := soakRequest{kind: "abuse: broken body", method: "POST", path: "/api/restaurants", right: []int{http.StatusBadRequest}}
	switch c.random.IntN(4) {
	case 0:
		r.body = whole[:1+c.random.IntN(len(whole)-1)]
	case 1:
		r.body = whole + "}"
	case 2:
		r.body = `{"data": ` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`
	case 3:
		r.body, r.right = `{"data": {"name": "`+strings.Repeat("x", 2<<20)+`"}}`, []int{http.StatusRequestEntityTooLarge}
	}
	c.send(r)
}

// sendable escapes what a client cannot send in a URL, and nothing else.
func sendable(query string) string {
	var b strings.Builder
	for _, at := range []byte(query) {
		if at <= ' ' || at >= 0x7f || at == '#' {
			fmt.Fprintf(&b, "%%%02X", at)
		} else {
			b.WriteByte(at)
		}
	}
	return b.String()
}
