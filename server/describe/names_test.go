package describe

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quire/schema"
)

func odd(t *testing.T) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS("testdata/odd"))
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func TestPascal(t *testing.T) {
	for text, want := range map[string]string{
		"restaurant": "Restaurant", "blog-post": "BlogPost", "place.opening_hours": "PlaceOpeningHours",
		"api::blog.blog-post": "ApiBlogBlogPost", "2col.Big-Part": "T2colBigPart", "_a.b": "AB",
	} {
		if got := pascal(text); got != want {
			t.Errorf("%s is called %s, want %s", text, got, want)
		}
	}
}

// A type has its short name unless that, or one made from it, means something
// else already.
func TestNamesDoNotClash(t *testing.T) {
	site := odd(t)
	names := nameTypes(site)
	for uid, want := range map[string]string{
		"api::record.record":     "ApiRecordRecord", // Record is TypeScript's own
		"api::memo.entry":        "Entry",
		"api::memo.entry-create": "ApiMemoEntryCreate", // EntryCreate is what makes a new Entry
		"entry.create":           "EntryCreate2",
		schema.FileUID:           "UploadFile",
	} {
		if got := names[site.Type(uid)]; got != want {
			t.Errorf("%s is called %s, want %s", uid, got, want)
		}
	}
}

var exported = regexp.MustCompile(`(?m)^(?:export )?type (\w+)`)

func TestNothingIsDeclaredTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, match := range exported.FindAllStringSubmatch(TypeScript(odd(t)), -1) {
		if seen[match[1]] {
			t.Errorf("%s is declared twice", match[1])
		}
		seen[match[1]] = true
	}
	if len(seen) < 50 {
		t.Errorf("only %d types", len(seen))
	}
}

// What every document may define is known to the names, so that no type of a
// site takes its place.
func TestSharedNamesAreComplete(t *testing.T) {
	site := odd(t)
	d := newDocument(site)
	routes := []Route{{Method: "GET", Path: "/api/records", Type: site.Type("api::record.record"), Action: schema.Find}}
	for _, word := range []string{"_count", "_aggregate"} {
		routes = append(routes, Route{Method: "GET", Path: "/api/records/" + word, Type: site.Type("api::record.record"), Action: schema.Find})
	}
	for _, u := range site.Types {
		if !u.BuiltIn {
			routes = append(routes, Route{Method: "PUT", Path: "/api/x", Type: u, Action: schema.Update}, Route{Method: "GET", Path: "/api/x/schedule", Type: u, Action: schema.Publish})
			for _, path := range []string{"", "/:revision", "/:revision/restore"} {
				routes = append(routes, Route{Method: "GET", Path: "/api/x/history" + path, Type: u, Action: schema.ReadHistory})
			}
		}
	}
	d.builtIn(Route{})
	for key := range d.builtIns {
		method, path, _ := strings.Cut(key, " ")
		routes = append(routes, Route{Method: method, Path: path})
	}
	d.paths(routes)
	missing := sharedNames()
	for name := range d.schemas {
		missing = slices.DeleteFunc(missing, func(known string) bool { return known == name })
		if !slices.Contains(sharedNames(), name) && !ofSomeType(d.names, name) {
			t.Errorf("the schema %s is not among the shared names", name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no schema is called %v", missing)
	}
}

func ofSomeType(names map[*schema.Type]string, name string) bool {
	for _, base := range names {
		if slices.ContainsFunc(suffixes, func(suffix string) bool { return base+suffix == name }) {
			return true
		}
	}
	return false
}
