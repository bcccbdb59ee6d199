package review_test

import (
	"path/filepath"
	"testing"

	"quire/content/review"
	"quire/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is said about a document stays with it when its type becomes localized, and goes when the
// document does, however that happened.
func TestReviewsFollowTheirDocuments(t *testing.T) {
	const uid = "api::dish.dish"
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	entry := func(locale string) *store.Entry {
		return &store.Entry{ID: 1, DocumentID: "soup", Locale: locale, Status: store.Draft, CreatedAt: 1, UpdatedAt: 1}
	}
	check(t, db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: uid, After: entry("")}) }))
	board, all := review.NewBoard(db, nil), func(string) bool { return true }
	place := review.Place{UID: uid, DocumentID: "soup"}
	check(t, board.Add(place, &review.Comment{Text: "a", By: "ada", Mentions: []string{"ben"}}, all, &review.Beside{}))
	check(t, board.Change(place, func(_ *review.Workflow, st *review.State) error { st.Assignee = "eve"; return nil }, &review.Beside{}))

	check(t, db.Update(func(tx *store.Tx) error {
		check(t, tx.Apply(store.Change{Type: uid, Before: entry(""), After: nil}))
		check(t, tx.Apply(store.Change{Type: uid, After: entry("en")}))
		check(t, review.Relocate(tx, uid, func(string) (from, to string) { return "", "en" }))
		return review.Sweep(tx)
	}))
	place.Locale = "en"
	st, list, err := board.Read(place)
	if check(t, err); st.Assignee != "eve" || len(list) != 1 || list[0].Text != "a" {
		t.Errorf("after it is localized: %+v, %d comments", st, len(list))
	}
	for _, account := range []string{"ben", "eve"} {
		if places, err := board.Waiting(account, 10); err != nil || len(places) != 1 || places[0] != place {
			t.Errorf("for %s waits %+v, %v", account, places, err)
		}
	}

	check(t, db.Update(func(tx *store.Tx) error {
		check(t, tx.Clear(uid))
		return review.Sweep(tx)
	}))
	st, list, err = board.Read(place)
	if check(t, err); st.Assignee != "" || len(list) != 0 {
		t.Errorf("without the document: %+v, %d comments", st, len(list))
	}
	if places, err := board.Waiting("ben", 10); err != nil || len(places) != 0 {
		t.Errorf("for Ben waits %+v, %v", places, err)
	}
	if err := board.Add(place, &review.Comment{Text: "b", By: "ada"}, all, &review.Beside{}); err != review.ErrNoDocument {
		t.Errorf("a comment on nothing: %v", err)
	}
}
