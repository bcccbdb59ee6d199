package release_test

import (
	"errors"
	"testing"
	"time"

	"quire/content/release"
	"quire/content/review"
	"quire/schema"
	"quire/store"
)

// What is due at its time is published only from the stage that its type demands, whoever has
// scheduled it. The record says which stage is needed.
func TestWhatIsDueNeedsItsStage(t *testing.T) {
	s := newSite(t)
	one, two := s.draft("one"), s.draft("two")
	s.schedule(one, schema.Publish, time.Hour)
	s.schedule(two, schema.Publish, time.Hour)
	uid := "api::restaurant.restaurant"
	check(t, s.DB.Update(func(tx *store.Tx) error {
		w := &review.Workflow{Stages: []review.Stage{{ID: "a", Name: "Writing"}, {ID: "b", Name: "Ready"}}, Publish: "b"}
		return errors.Join(review.SetWorkflow(tx, uid, w), review.SetState(tx, review.Place{UID: uid, DocumentID: two, Locale: "en"}, &review.State{Stage: "b"}))
	}))
	refused := 0
	for _, o := range s.run(time.Hour) {
		var failed *release.FailedError
		if !errors.As(o.Err, &failed) {
			continue
		}
		if refused++; failed.Failures[0].Reason != "This document is in the stage “Writing”; it can be published from “Ready” only" {
			t.Errorf("the reason is %q", failed.Failures[0].Reason)
		}
	}
	if refused != 1 || s.isPublished(one) || !s.isPublished(two) {
		t.Errorf("%d refused, published: %t, %t", refused, s.isPublished(one), s.isPublished(two))
	}
}
