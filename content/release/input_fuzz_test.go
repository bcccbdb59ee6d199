package release_test

import (
	"encoding/json"
	"errors"
	"testing"

	"quire/content/contenttest"
	"quire/content/release"
)

// Whatever a body says is a release that can be stored, or is refused with the key that is
// at fault.
func FuzzReadInput(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"name": "Winter", "at": "2026-12-25T00:00:00Z", "steps": []}`, `{"at": null}`,
		`{"name": "x", "steps": [{"type": "api::restaurant.restaurant", "documentId": "a", "action": "publish", "locales": ["fr", "en"]}]}`,
		`{"name": "x", "steps": [{"type": "api::homepage.homepage", "action": "unpublish", "discardDraft": true}, {"type": "api::dish.dish", "documentId": "b", "action": "publish"}]}`,
	} {
		f.Add([]byte(seed))
	}
	s := &site{now: noon}
	guide := contenttest.Guide(f)
	s.Calendar = release.New(nil, guide, nil, nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := s.ReadInput(text, everything{})
		var r release.Release
		if err == nil {
			r, err = in.Of(release.Release{})
		}
		var refused *release.RefusedError
		switch {
		case err != nil && (!errors.As(err, &refused) || refused.Key == ""):
			t.Fatalf("%q: %v", text, err)
		case err != nil:
			return
		case r.Name == "" || len(r.Steps) > release.MaxSteps:
			t.Fatalf("%q was taken: %+v", text, r)
		}
		for _, step := range r.Steps {
			if kind := guide.Type(step.Type); kind == nil || !kind.DraftAndPublish || (len(step.Locales) > 0) != kind.Localized {
				t.Fatalf("%q was taken: %+v", text, step)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}
