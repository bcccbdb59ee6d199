package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shape lists the keys of a JSON value with the kinds of their values.
func shape(at string, v any) (keys []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if at == ".server.requests.byClass" {
				key = "CLASS"
			}
			keys = append(keys, shape(at+"."+key, below)...)
		}
	case []any:
		for _, below := range v {
			keys = append(keys, shape(at+"[]", below)...)
		}
	default:
		keys = append(keys, fmt.Sprintf("%s %T", at, v))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func shapeOf(t *testing.T, text string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return shape("", v)
}

// The output of --json has the shape that the page about the command line shows.
func TestJSONIsAsDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	described := func(command string) []string {
		t.Helper()
		example := regexp.MustCompile("(?s)`" + command + " --json` prints.*?```json\n(.*?)```").FindSubmatch(page)
		if example == nil {
			t.Fatalf("there is no example of %s --json", command)
		}
		return shapeOf(t, string(example[1]))
	}
	site := newGuide(t)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	p.get("/api/cuisines", "", new(any))
	succeed(t, "backup", site, filepath.Join(t.TempDir(), "b.tar.zst"))
	status := succeed(t, "status", "--json", site)
	p.end()
	edit(t, site, cuisineSchema, `"type": "string"`, `"type": "sting"`)
	code, check, stderr := command(t, "check", "--json", site)
	if code != 1 || stderr != "quire: 1 problem found\n" {
		t.Errorf("check: exit %d, %s", code, stderr)
	}
	edit(t, site, cuisineSchema, `"type": "sting"`, `"type": "string"`)
	for _, test := range []struct {
		command, printed string
		empty            []string // keys of lists without items here
	}{
		{"status", status, nil},
		{"check", check, []string{".notes[] string", ".code[].file string", ".code[].verdict string", ".code[].why string", ".ignored[].did string", ".ignored[].file string", ".ignored[].instead string", ".ignored[].kind string", ".ignored[].why string"}},
		{"routes", succeed(t, "routes", "--json", site), nil},
	} {
		want := slices.DeleteFunc(described(test.command), func(key string) bool { return slices.Contains(test.empty, key) })
		if got := shapeOf(t, test.printed); !slices.Equal(got, want) {
			t.Errorf("%s --json has\n%s\nand is described with\n%s", test.command, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if got := succeed(t, "check", "--json", site); strings.Join(strings.Fields(got), "") != `{"problems":[],"notes":[],"code":[],"ignored":[]}` {
		t.Errorf("check of a good site: %s", got)
	}
	if got := succeed(t, "token", "list", "--json", site); strings.TrimSpace(got) != "[]" {
		t.Errorf("no tokens: %s", got)
	}
}
