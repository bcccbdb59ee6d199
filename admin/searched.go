package admin

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"quire/auth/people"
	"quire/content/audit"
	"quire/content/search"
	"quire/server"
)

// What visitors searched for and did not find, and the words that searches use besides those of
// site.json.

func searchedRoutes() []Route {
	const words, missed = "/search/words", "/search/missed"
	return []Route{
		{Method: http.MethodGet, Path: words, Right: people.Settings, handler: showWords, summary: "The words of searches: synonyms, and words that are not divided", out: wordsOf{}},
		{Method: http.MethodPut, Path: words, Right: people.Settings, handler: taking(setWords), summary: "Set the words of searches besides those of site.json", in: wordsForm{}, out: wordsOf{}},
		{Method: http.MethodGet, Path: missed, Right: people.Settings, handler: listMissed, summary: "What visitors searched for and did not find", query: []string{"days"}, out: []search.Count{}, meta: missedMeta{}},
		{Method: http.MethodDelete, Path: missed, Right: people.Settings, handler: clearMissed, summary: "Delete all counts of searches"},
	}
}

// wordsForm replaces the words of a version.
type wordsForm struct {
	Version string            `json:"version"`
	Words   *search.WordLists `json:"words"`
}

// wordsOf has the words that are set here, and those that only site.json changes.
type wordsOf struct {
	Version string            `json:"version"` // empty without words
	Words   *search.WordLists `json:"words"`
	InSite  search.WordLists  `json:"inSite"`
}

func showWords(x *request) error {
	w, version := x.admin.Lexicon.Stored()
	s := &x.admin.Server.Site(x.http).Settings.Search
	return x.data(wordsOf{version, w, search.WordLists{Synonyms: append([][]string{}, s.Synonyms...), Together: append([]string{}, s.Together...)}})
}

func setWords(x *request, f *wordsForm) error {
	if f.Words == nil {
		return server.KeyProblem("words", "words is missing")
	}
	err := x.admin.Lexicon.Put(f.Version, f.Words, audit.Of(x.http.Context()))
	if wrong, ok := errors.AsType[*search.TermError](err); ok {
		return problemBelow("words", wrong.Key, wrong.Message)
	}
	if errors.Is(err, search.ErrChanged) {
		return server.Problem(http.StatusConflict, "ConflictError", "Somebody else has changed these words meanwhile; load them again", nil)
	}
	if err != nil {
		return err
	}
	return showWords(x)
}

// missedMeta says what was counted.
type missedMeta struct {
	Counted bool `json:"counted"` // site.json sets search.countMissed
	Days    int  `json:"days"`    // of the list
	Kept    int  `json:"keptDays"`
	Texts   int  `json:"texts"`  // different texts, also those that are not in the list
	Others  int  `json:"others"` // searches of whose texts there were too many to store
}

// missedDays are the spans of a list.
var missedDays = []int{7, 30, search.KeptDays}

func listMissed(x *request) error {
	days := search.KeptDays
	if text := x.http.URL.Query().Get("days"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(missedDays, n) {
			return queryProblem("days", "days is 7, 30 or 90")
		}
		days = n
	}
	counts, err := x.admin.Missed.Since(days)
	if err != nil {
		return err
	}
	counted := x.admin.Server.Site(x.http).Settings.Search.CountMissed
	return x.answerWith(http.StatusOK, counts.List, missedMeta{counted, days, search.KeptDays, counts.Texts, counts.Others})
}

func clearMissed(x *request) error {
	return x.done(x.admin.Missed.Clear(audit.Of(x.http.Context())))
}
