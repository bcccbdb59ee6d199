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
	var routes []Route
	for key := range builtin() {
		method, path, _ := strings.Cut(key, " ")
		switch ofType, isOfType := strings.CutPrefix(path, "$type"); {
		case strings.HasPrefix(key, "type "), strings.HasPrefix(key, "parameter "), strings.Contains(key, "$provider"):
		case isOfType:
			for u := range site.Served() {
				if u.Kind == schema.Single {
					ofType = strings.TrimPrefix(ofType, "/:documentId")
				}
				routes = append(routes, Route{Method: method, Path: "/api/" + u.Route() + ofType, Type: u})
			}
		default:
			routes = append(routes, Route{Method: method, Path: path})
		}
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
