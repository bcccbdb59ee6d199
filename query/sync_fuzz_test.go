package query

import (
	"errors"
	"testing"

	"quire/content/event"
	"quire/query/params"
)

// A place to go on is what was given out, or it is refused.
func FuzzParseSince(f *testing.F) {
	w := &SyncWalk{Revision: 9, uid: "api::dish.dish", id: 7}
	y := &Sync{sealer: newSealer([]byte("secret")), mark: syncMark{1, 2, 3}}
	for _, text := range []string{"", "0", "12", "12.5", "12-", "12.1-AQIDAAAAAAAA", "w.", "w.AAAA", y.SinceWalk(w), y.SincePosition(event.Position{Revision: 12, Index: 5})} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		walk, at, err := y.ParseSince(text)
		switch {
		case err != nil:
			if !errors.As(err, new(*params.ParamError)) && !errors.As(err, new(*StaleError)) {
				t.Errorf("%q: %v", text, err)
			}
		case walk != nil && y.SinceWalk(walk) != text:
			t.Errorf("%q is the place %+v", text, walk)
		case walk == nil:
			if again, p, err := y.ParseSince(y.SincePosition(at)); again != nil || p != at || err != nil {
				t.Errorf("%q is %v, and then %v, %v", text, at, p, err)
			}
		}
	})
}
