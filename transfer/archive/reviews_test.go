package archive_test

import (
	"fmt"
	"strings"
	"testing"

	stages "quire/content/review"
	"quire/store"
	"quire/transfer/archive"
)

const reviewedType = "api::restaurant.restaurant"

// reviewedPlace is a restaurant of the guide with a draft.
var reviewedPlace = stages.Place{UID: reviewedType, DocumentID: "p41df27r26xk0srw5372dosd", Locale: "en"}

// account adds an account of the admin to the data file.
func account(tx *store.Tx, id, name string) error {
	return tx.PutRecord("admin.accounts", id, fmt.Appendf(nil, `{"name":%q,"email":"%s@example.org","role":"owner","created":"2026-05-04T09:00:00Z"}`, name, strings.ToLower(name)))
}

func putWorkflow(tx *store.Tx, ids ...string) error {
	w := &stages.Workflow{}
	for _, id := range ids {
		w.Stages = append(w.Stages, stages.Stage{ID: id, Name: id})
	}
	return stages.SetWorkflow(tx, reviewedType, w)
}

// reviewedSite is the guide with a review of one document: Ada has it, Ben has said something about
// its name and mentioned Ada, who has answered. Eve, whose account is gone, resolved another thread.
func reviewedSite(t *testing.T) *site {
	t.Helper()
	s := guideSite(t)
	check(t, s.open(func(db *store.DB) error {
		check(t, db.Update(func(tx *store.Tx) error {
			check(t, putWorkflow(tx, "a", "b"))
			check(t, account(tx, "ada", "Ada"))
			return account(tx, "ben", "Ben")
		}))
		board, all, none := stages.NewBoard(db, nil), func(string) bool { return true }, &stages.Beside{}
		check(t, board.Change(reviewedPlace, func(_ *stages.Workflow, st *stages.State) error {
			*st = stages.State{Stage: "b", Assignee: "ada", Due: "2026-12-24"}
			return nil
		}, none))
		thread := &stages.Comment{Field: "name", Text: "Too long?", By: "ben", Mentions: []string{"ada"}}
		check(t, board.Add(reviewedPlace, thread, all, none))
		check(t, board.Add(reviewedPlace, &stages.Comment{Thread: thread.ID, Text: "It is.\nShorter?", By: "ada", Mentions: []string{"ben"}}, all, none))
		over := &stages.Comment{Text: "Done", By: "eve"}
		check(t, board.Add(reviewedPlace, over, all, none))
		return board.Resolve(reviewedPlace, over.ID, "eve", true, all, none)
	}))
	return s
}

// review shows the review of the document, and for whom it waits.
func (s *site) review(accounts ...string) (shown string) {
	s.t.Helper()
	check(s.t, s.open(func(db *store.DB) error {
		board := stages.NewBoard(db, nil)
		st, list, err := board.Read(reviewedPlace)
		check(s.t, err)
		shown = text(st)
		for _, c := range list {
			shown += " " + c.ID + text(c)
		}
		for _, id := range accounts {
			places, err := board.Waiting(id, 2)
			if check(s.t, err); len(places) > 0 {
				shown += " for " + id
			}
		}
		return nil
	}))
	return shown
}

// Stage, assignee, date and comments of documents leave with an archive and are back after it is
// imported, for the accounts with the same addresses. Then they wait for the same people.
func TestReviewsAreExported(t *testing.T) {
	s := reviewedSite(t)
	want := s.review("ada", "ben")
	path := s.export(archive.Packing{})

	same := siteOf(t, s.folder)
	check(t, same.open(func(db *store.DB) error {
		return db.Update(func(tx *store.Tx) error {
			check(t, account(tx, "01", "ADA"))
			return account(tx, "02", "Ben")
		})
	}))
	report, err := same.importArchive(path, "", archive.Options{})
	check(t, err)
	mapped := strings.NewReplacer(`"ada"`, `"01"`, `"ben"`, `"02"`, `"by":"eve"`, `"by":""`, "for ada", "for 01", "for ben", "for 02").Replace(want)
	if got := same.review("01", "02"); got != mapped {
		t.Errorf("the review is\n%s\nnot\n%s", got, mapped)
	}
	if got := printed(t, report); !strings.Contains(got, "1  reviews of documents\n") || !strings.Contains(got, "3  comments\n") {
		t.Errorf("the report is %s", got)
	}
	if got := same.export(archive.Packing{Plain: true}); !strings.Contains(strings.Join(archiveLines(t, got)["configuration"], "\n"), `"assignee":{"email":"ada@example.org","name":"ADA"}`) {
		t.Error("what was imported is not exported again")
	}

	empty := siteOf(t, s.folder)
	report, err = empty.importArchive(path, "", archive.Options{})
	check(t, err)
	got := empty.review()
	for _, part := range []string{`{"stage":"b","due":"2026-12-24"}`, `"by":"","author":"Ben"`, `"by":"","author":"Ada"`, "Shorter?"} {
		if !strings.Contains(got, part) {
			t.Errorf("without accounts, there is no %s in %s", part, got)
		}
	}
	if !strings.Contains(printed(t, report), "accounts in reviews: no account here has their address") {
		t.Errorf("the report is %s", printed(t, report))
	}
}

// With --merge, a document that has a review here keeps it, and one whose stage does not exist
// here is in the first one. With --replace, the review of the archive takes the place of that here.
func TestReviewsIntoASiteWithContent(t *testing.T) {
	path := reviewedSite(t).export(archive.Packing{})
	for name, test := range map[string]struct {
		existing archive.Existing
		here     stages.State
		want     string
		report   string
	}{
		"kept":     {archive.Merge, stages.State{Stage: "z"}, `{"stage":"z"}`, "reviews of documents: their documents have one here"},
		"unstaged": {archive.Merge, stages.State{}, `{"due":"2026-12-24"} `, "stages of documents: the stages of the type here do not include them"},
		"replaced": {archive.Replace, stages.State{Stage: "z"}, `{"stage":"b","due":"2026-12-24"} `, "1  reviews of documents"},
	} {
		t.Run(name, func(t *testing.T) {
			s := guideSite(t)
			check(t, s.open(func(db *store.DB) error {
				return db.Update(func(tx *store.Tx) error {
					check(t, putWorkflow(tx, "y", "z"))
					return stages.SetState(tx, reviewedPlace, &test.here)
				})
			}))
			report, err := s.importArchive(path, "", archive.Options{Existing: test.existing})
			check(t, err)
			if got := s.review(); !strings.HasPrefix(got+" ", test.want) || name == "kept" && got != test.want {
				t.Errorf("the review is %s", got)
			}
			if got := printed(t, report); !strings.Contains(got, test.report) {
				t.Errorf("the report is %s", got)
			}
		})
	}
}

// A review that no document can have ends the import, or is skipped. What it says about attributes
// and types that the site does not have is treated as content is.
func TestReviewsThatNoDocumentCanHave(t *testing.T) {
	comment := func(id, more string) string {
		return `{"id":"` + id + `","text":"x","by":{"name":"Ada"},"at":"2026-05-04T09:00:00Z"` + more + `}`
	}
	first := comment("000000000001", "")
	of := func(value string) string {
		return archiveOf(t, with(entities(strings.Replace(entity(reviewedType, 1, "blue", `,"name":"Blue"`), `"locale":null`, `"locale":"en"`, 1)), "configuration/configuration_00002.jsonl",
			`{"type":"core-store","value":{"key":"quire_review::1","value":{"type":"`+reviewedType+`","documentId":"blue","locale":"en",`+value+`}}}`+"\n"))
	}
	for name, value := range map[string]string{
		"a date":                      `"due":"soon"`,
		"no text":                     `"comments":[` + strings.Replace(first, `"x"`, `" "`, 1) + `]`,
		"no time":                     `"comments":[` + strings.Replace(first, "2026-05-04T09:00:00Z", "0001-01-01T00:00:00Z", 1) + `]`,
		"an id":                       `"comments":[` + comment("1", "") + `]`,
		"an id that no other follows": `"comments":[` + comment("ffffffffffff", "") + `]`,
		"the same id":                 `"comments":[` + first + `,` + first + `]`,
		"a thread that is not there":  `"comments":[` + comment("000000000001", `,"thread":"000000000000"`) + `]`,
		"an answer about another":     `"comments":[` + first + `,` + comment("000000000002", `,"thread":"000000000001","field":"name"`) + `]`,
		"a name of two lines":         `"comments":[` + strings.Replace(first, `"Ada"`, `"A\nda"`, 1) + `]`,
		"another kind":                `"comments":7`,
		"more than a document has":    `"comments":[` + strings.Repeat(first+",", 200) + first + `]`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			if _, err := s.importArchive(of(value), "", archive.Options{}); err == nil || !strings.Contains(err.Error(), `the review of `+reviewedType+` "blue"`) {
				t.Errorf("the import says %v", err)
			}
			report, err := s.importArchive(of(value), "", archive.Options{SkipErrors: true})
			if check(t, err); len(report.Skipped) != 1 {
				t.Errorf("skipped: %v", report.Skipped)
			}
		})
	}
	report, err := newSite(t).importArchive(of(`"comments":[`+comment("000000000001", `,"field":"gone"`)+`]`), "", archive.Options{})
	if check(t, err); !strings.Contains(printed(t, report), "1  comments: the site has no attribute that they are about") {
		t.Errorf("the report is %s", printed(t, report))
	}
}
