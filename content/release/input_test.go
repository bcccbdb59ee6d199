package release_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"quire/content/release"
	"quire/schema"
)

// What a body says that makes no sense is refused, and named.
func TestInputThatMakesNoSense(t *testing.T) {
	s := newSite(t)
	step := func(members string) string {
		return `{"steps": [{"type": "api::restaurant.restaurant", "documentId": "a", "action": "publish"` + members + `}]}`
	}
	many := strings.Repeat(`{},`, release.MaxSteps) + `{}`
	for text, key := range map[string]string{
		`1`:              "data",
		`null`:           "data",
		`{"nam": "x"}`:   "data.nam",
		`{"name": ""}`:   "name",
		`{"name": 1}`:    "name",
		`{"name": null}`: "name",
		`{"name": "` + strings.Repeat("x", release.MaxName+1) + `"}`: "name",
		`{"at": 1}`:                                       "at",
		`{"at": ""}`:                                      "at",
		`{"at": "tomorrow"}`:                              "at",
		`{"at": "2026-12-24"}`:                            "at",
		`{"at": "2026-12-24T18:00:00"}`:                   "at",
		`{"at": "2026-12-24T12:00:00Z"}`:                  "at",
		`{"at": "2026-12-24T12:30:00+01:00"}`:             "at",
		`{"at": "2026-13-24T12:00:00Z"}`:                  "at",
		`{"at": "2036-12-24T12:00:01Z"}`:                  "at",
		`{"steps": null}`:                                 "steps",
		`{"steps": {}}`:                                   "steps",
		`{"steps": [` + many + `]}`:                       "steps",
		`{"steps": [1]}`:                                  "steps[0]",
		`{"steps": [{}]}`:                                 "steps[0].type",
		`{"steps": [{"type": 1}]}`:                        "steps[0].type",
		`{"steps": [{"type": "api::none.none"}]}`:         "steps[0].type",
		`{"steps": [{"type": "place.address"}]}`:          "steps[0].type",
		`{"steps": [{"type": "api::category.category"}]}`: "steps[0].type",
		`{"steps": [{"type": "api::restaurant.restaurant", "action": "burn"}]}`:                              "steps[0].action",
		`{"steps": [{"type": "api::restaurant.restaurant", "action": "publish"}]}`:                           "steps[0].documentId",
		`{"steps": [{"type": "api::homepage.homepage", "action": "publish", "documentId": "a"}]}`:            "steps[0].documentId",
		`{"steps": [{"type": "api::dish.dish", "action": "publish", "documentId": "a", "locales": ["en"]}]}`: "steps[0].locales",
		step(`, "when": 1`):               "steps[0].when",
		step(`, "discardDraft": true`):    "steps[0].discardDraft",
		step(`, "locales": []`):           "steps[0].locales",
		step(`, "locales": "en"`):         "steps[0].locales",
		step(`, "locales": ["xx"]`):       "steps[0].locales",
		step(`, "locales": ["fr", "fr"]`): "steps[0].locales",
	} {
		_, err := s.ReadInput(json.RawMessage(text), everything{})
		var refused *release.RefusedError
		if !errors.As(err, &refused) || refused.Key != key {
			t.Errorf("%.100s: %v", text, err)
		}
	}
}

// Two steps must not be about the same version of a document.
func TestStepsThatContradict(t *testing.T) {
	s := newSite(t)
	step := func(document, action, locales string) string {
		return fmt.Sprintf(`{"type": "api::restaurant.restaurant", "documentId": %q, "action": %q, "locales": %s}`, document, action, locales)
	}
	for _, test := range []struct {
		first, second string
		fine          bool
	}{
		{step("a", "publish", `["en"]`), step("a", "unpublish", `["fr"]`), true},
		{step("a", "publish", `["en"]`), step("b", "publish", `["en"]`), true},
		{step("a", "publish", `null`), step("a", "unpublish", `["en"]`), false},
		{step("a", "publish", `["*"]`), step("a", "unpublish", `["fr"]`), false},
		{step("a", "publish", `["fr"]`), step("a", "publish", `["en", "*"]`), false},
	} {
		in, err := s.ReadInput(json.RawMessage(`{"name": "x", "steps": [`+test.first+","+test.second+`]}`), everything{})
		if (err == nil) != test.fine || test.fine && len(in.Steps) != 2 {
			t.Errorf("%s, %s: %v", test.first, test.second, err)
		}
	}
}

// nothing may be found.
type nothing struct{ schema.Unlimited }

func (nothing) Allows(*schema.Type, schema.Action) bool { return false }

// Types that the caller may not find look as if they were not there.
func TestTypesThatTheCallerDoesNotSee(t *testing.T) {
	s := newSite(t)
	texts := []string{}
	for _, uid := range []string{"api::restaurant.restaurant", "api::none.none"} {
		_, err := s.ReadInput(json.RawMessage(`{"steps": [{"type": "`+uid+`", "documentId": "a", "action": "publish"}]}`), nothing{})
		texts = append(texts, fmt.Sprint(err))
	}
	if texts[0] != texts[1] {
		t.Errorf("they differ: %q", texts)
	}
}

// A release has a name, and is done at a time only with steps.
func TestReleasesThatLackSomething(t *testing.T) {
	s := newSite(t)
	for text, key := range map[string]string{
		`{}`: "name",
		`{"name": "x", "at": "2026-12-25T00:00:00Z"}`: "at",
	} {
		in, err := s.ReadInput(json.RawMessage(text), everything{})
		check(t, err)
		_, err = in.Of(release.Release{})
		var refused *release.RefusedError
		if !errors.As(err, &refused) || refused.Key != key {
			t.Errorf("%s: %v", text, err)
		}
	}
}
