package archive_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	"quire/store"
	"quire/transfer/archive"
)

const (
	chefAna  = `{"type":"api::chef.chef","documentId":"ana","data":{"name":"Ana"}}`
	chefBo   = `{"type":"api::chef.chef","documentId":"bo","status":"draft","data":{"name":"Bo"}}`
	category = `{"type":"api::category.category","documentId":"vegan","data":{"name":"Vegan","code":1}}`
	bistro   = `{"type":"api::restaurant.restaurant","documentId":"bistro","locale":"en","data":{"name":"Bistro","chef":"ana","categories":["vegan"]}}`
	bistroFr = `{"type":"api::restaurant.restaurant","documentId":"bistro","locale":"fr","data":{"name":"Le bistro","chef":"ana"}}`
	review   = `{"type":"api::review.review","data":{"note":7,"restaurant":"bistro"}}`
)

func TestImportLines(t *testing.T) {
	for name, test := range map[string]struct {
		lines string
		want  []string // parts of the entries, in order
	}{
		"links to earlier lines": {lines(chefAna, category, bistro), []string{
			"category.category vegan (published)", "chef.chef ana (draft)", "chef.chef ana (published)",
			`bistro (draft, en) categories=->vegan chef=->ana name="Bistro"`, `bistro (published, en) categories=->vegan chef=->ana`,
		}},
		"links to later lines": {lines(bistro, category, chefAna), []string{
			`bistro (draft, en) categories=->vegan chef=->ana`, `bistro (published, en) categories=->vegan chef=->ana`,
		}},
		"links through the inverse side to later lines": {
			lines(`{"type":"api::chef.chef","documentId":"cleo","data":{"name":"Cleo","restaurants":["late"]}}`,
				`{"type":"api::restaurant.restaurant","documentId":"late","data":{"name":"Late"}}`), []string{
				"late (draft, en) chef=->cleo", "late (published, en) chef=->cleo",
			}},
		"drafts and locales": {lines(chefAna, chefBo, category, bistro, bistroFr,
			`{"type":"api::restaurant.restaurant","documentId":"bistro","locale":"en","status":"draft","data":{"name":"Bistro 2"}}`), []string{
			"bo (draft)", `bistro (draft, en) categories=->vegan chef=->ana name="Bistro 2"`, `bistro (published, en) categories=->vegan chef=->ana name="Bistro"`,
			`bistro (draft, fr)`, `name="Le bistro"`, `bistro (published, fr)`,
		}},
		"defaults, components and made documentIds": {
			"\n" + `  {"data":{"name":"X y","location":{"street":"Main","geo":{"lat":1}}},"type":"api::restaurant.restaurant","documentId":null}  ` + "\r\n", []string{
				`(draft, en) location=place.address{ geo=place.geo{ lat=0 1} street="Main"} name="X y" price_tier="p2"`,
			}},
		"a last line without an end": {strings.TrimSpace(chefBo), []string{"bo (draft)"}},
		"a single type":              {`{"type":"api::global.global","data":{"site_name":"Guide"}}`, []string{`(published) site_name="Guide"`}},
		"nothing":                    {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.importLines(archive.Options{}, test.lines)
			check(t, err)
			rest := s.entries()
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("there is no\n%s\nin\n%s", want, rest)
				}
				rest = after
			}
		})
	}
}

func TestImportLinesRefuses(t *testing.T) {
	for name, test := range map[string]struct{ lines, want string }{
		"no JSON":              {lines(chefAna, `{"type":`), "file1, line 2: data is not valid JSON"},
		"no object":            {`[1]`, "file1, line 1: "},
		"no type":              {`{"data":{}}`, `line 1: it has no "type"`},
		"an unknown type":      {`{"type":"api::no.no","data":{}}`, `there is no content type "api::no.no"`},
		"a component":          {`{"type":"section.cta","data":{}}`, `there is no content type "section.cta"`},
		"a built-in type":      {`{"type":"plugin::upload.file","data":{}}`, "cannot be imported as lines"},
		"no data":              {`{"type":"api::chef.chef"}`, `Missing "data"`},
		"data that is a list":  {`{"type":"api::chef.chef","data":[]}`, `Missing "data"`},
		"an unknown member":    {`{"type":"api::chef.chef","id":1,"data":{}}`, `"id"`},
		"an unknown status":    {`{"type":"api::chef.chef","status":"live","data":{"name":"x"}}`, `"live"`},
		"an unknown locale":    {`{"type":"api::restaurant.restaurant","locale":"xx","data":{"name":"xx"}}`, `"xx"`},
		"an unknown attribute": {`{"type":"api::chef.chef","data":{"nam":"x"}}`, "Invalid key nam"},
		"a missing value":      {`{"type":"api::chef.chef","data":{"bio":"x"}}`, "name must be"},
		"several wrong values": {`{"type":"api::dish.dish","data":{"name":1,"price":"x"}}`, "; price must be"},
		"a value taken twice":  {lines(category, `{"type":"api::category.category","data":{"name":"Other","code":1}}`), "line 2: code: This attribute must be unique"},
		"a link to nothing":    {lines(bistro, chefAna), `line 1: Document with id "vegan"`},
		"an inverse link to nothing": {
			lines(chefAna, `{"type":"api::chef.chef","data":{"name":"Cleo","restaurants":["never"]}}`), `line 2: Document with id "never"`},
		"a link into another locale": {lines(chefAna, category, bistro, `{"type":"api::restaurant.restaurant","documentId":"due","locale":"fr","data":{"name":"Due","nearby":["bistro"]}}`), `line 4: Document with id "bistro", locale "fr"`},
		"too deep":                   {`{"type":"api::restaurant.restaurant","data":{"name":"xx","meta":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`, "nested deeper"},
		"no UTF-8":                   {"{\"type\":\"api::chef.chef\",\"data\":{\"name\":\"\xff\"}}", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.importLines(archive.Options{}, lines(`{"type":"api::dish.dish","documentId":"was","data":{"name":"Was here"}}`))
			check(t, err)
			before := s.files()
			_, err = s.importLines(archive.Options{}, test.lines)
			var problems *archive.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want Problems with %q", err, test.want)
			}
			if !maps.Equal(before, s.files()) {
				t.Error("the data folder has changed")
			}
		})
	}
}

func TestImportLinesTellsManyErrorsAndNotAll(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, strings.Repeat(`{"type":"api::chef.chef","data":{}}`+"\n", 100))
	if err == nil || strings.Count(err.Error(), "\n") != 21 || !strings.Contains(err.Error(), "line 20:") || !strings.Contains(err.Error(), "maybe more") {
		t.Errorf("the error is %v", err)
	}
}

func TestImportLinesTouchesNothingThatWasThere(t *testing.T) {
	changed := `{"type":"api::chef.chef","documentId":"ana","data":{"bio":"new"}}`
	for name, test := range map[string]struct {
		existing archive.Existing
		line     string
		refused  bool
		want     string
		gone     string
	}{
		"keep":              {archive.Keep, changed, true, `ana (draft) name="Ana"`, "bio"},
		"keep, new":         {archive.Keep, chefBo, false, "bo (draft)", "bio"},
		"keep, single type": {archive.Keep, `{"type":"api::global.global","data":{"site_name":"New"}}`, true, `site_name="Old"`, "New"},
		"merge":             {archive.Merge, changed, false, `ana (draft) bio="new" name="Ana"`, "nothing is gone"},
		"replace":           {archive.Replace, chefBo, false, "bo (draft)", "ana"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.importLines(archive.Options{}, lines(chefAna, `{"type":"api::global.global","data":{"site_name":"Old"}}`))
			check(t, err)
			_, err = s.importLines(archive.Options{Existing: test.existing}, test.line)
			if (err != nil) != test.refused {
				t.Fatalf("the error is %v", err)
			}
			if got := s.entries(); !strings.Contains(got, test.want) || strings.Contains(got, test.gone) {
				t.Errorf("the site holds\n%s\nwant %q and not %q", got, test.want, test.gone)
			}
		})
	}
}

func TestImportLinesSkipsErrors(t *testing.T) {
	s := newSite(t)
	report, err := s.importLines(archive.Options{SkipErrors: true},
		lines(review, chefAna, `{"type":"api::chef.chef","data":{}}`, bistro), // bistro's category never comes, so neither does it, nor its review
		lines("nonsense", `{"type":"api::review.review","documentId":"fine","data":{"note":1}}`))
	check(t, err)
	want := `api::chef.chef ana (draft) name="Ana"
api::chef.chef ana (published) name="Ana"
api::review.review fine (published) note=1 0
`
	if got := s.entries(); got != want {
		t.Errorf("the site holds\n%s\nwant\n%s", got, want)
	}
	text := printed(t, report)
	for _, want := range []string{"1  api::chef.chef\n", "1  api::review.review\n", "4 skipped:\n  file1, line 1: ", "file1, line 3: name", "file1, line 4: ", "file2, line 1: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// An import that is cut off in the middle leaves the site as it was.
func TestImportLinesEndsWithItsContext(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, chefAna)
	check(t, err)
	before := s.files()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, lines(category, chefBo))
		cancel()
		_ = w.Close()
	}()
	err = s.open(func(db *store.DB) error {
		_, err := archive.ImportLines(ctx, db, s.Site, []archive.Source{{Name: "pipe", Open: func() (io.ReadCloser, error) { return r, nil }}}, archive.Options{})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if !maps.Equal(before, s.files()) {
		t.Error("the data folder has changed")
	}
}

func TestImportLinesTakesLongLinesAndManyChunks(t *testing.T) {
	s := newSite(t)
	var text strings.Builder
	for range 300 {
		text.WriteString(`{"type":"api::restaurant.restaurant","data":{"name":"Long","story":"` + strings.Repeat("x", 5000) + `"}}` + "\n")
	}
	text.WriteString(`{"type":"api::restaurant.restaurant","documentId":"longest","data":{"name":"Long","story":"` + strings.Repeat("y", 1<<20) + `"}}` + "\n")
	report, err := s.importLines(archive.Options{}, text.String())
	check(t, err)
	if got := printed(t, report); !strings.Contains(got, "301  api::restaurant.restaurant") {
		t.Errorf("the report is %s", got)
	}
}

func TestReportLists(t *testing.T) {
	r := &archive.Report{
		Taken: []archive.Count{{What: "api::a.a", N: 12}, {What: "files", N: 3}},
		Left:  []archive.Omission{{What: "admin users", N: 1, Why: "Quire has none"}},
	}
	want := "      12  api::a.a\n       3  files\nleft out:\n       1  admin users: Quire has none\n"
	if got := printed(t, r); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
