package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTypesAndOpenAPICommands(t *testing.T) {
	folder := t.TempDir()
	site := filepath.Join(folder, "site")
	succeed(t, "new", site)
	for name, want := range map[string]struct{ begins, has string }{
		"graphql-schema": {`"""`, "createRestaurant("},
		"types":          {"// The types of this site's API", "RestaurantCreate"},
		"openapi":        {`{` + "\n  \"openapi\": \"3.1.0\"", "RestaurantCreate"},
	} {
		printed := succeed(t, name, site)
		if !strings.HasPrefix(printed, want.begins) || !strings.Contains(printed, want.has) || !strings.HasSuffix(printed, "}\n") && !strings.HasSuffix(printed, ";\n") && !strings.HasSuffix(printed, "directive @atomic on MUTATION\n") {
			t.Errorf("quire %s prints %.200s", name, printed)
		}
		file := filepath.Join(folder, name)
		if got := succeed(t, name, "--out", file, site); got != "" {
			t.Errorf("quire %s --out prints %s", name, got)
		}
		written, err := os.ReadFile(file)
		if err != nil || string(written) != printed {
			t.Errorf("quire %s --out writes something else: %v", name, err)
		}
		if code, _, stderr := command(t, name, filepath.Join(folder, "nowhere")); code != 1 || !strings.Contains(stderr, "no site folder") {
			t.Errorf("quire %s of nothing: exit %d, %s", name, code, stderr)
		}
		if got := succeed(t, name, "--help"); !strings.Contains(got, "Examples:") {
			t.Errorf("quire %s has no examples", name)
		}
	}
}

// A demo shows the description of its API to everybody.
func TestDemoShowsItsDescription(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	var document struct {
		Paths map[string]map[string]struct{ Security []json.RawMessage }
	}
	requireNil(t, json.Unmarshal([]byte(succeed(t, "openapi", site)), &document))
	for _, path := range []string{"/api/openapi.json", "/api/docs"} {
		if ways := document.Paths[path]["get"].Security; len(ways) != 2 || string(ways[0]) != "{}" {
			t.Errorf("%s: %s", path, ways)
		}
	}
}

// The API of the admin can be described without a site.
func TestOpenAPIOfTheAdmin(t *testing.T) {
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal([]byte(succeed(t, "openapi", "--admin")), &document); err != nil || document.Paths["/session"] == nil {
		t.Errorf("%v in %v", err, document.Paths)
	}
}
