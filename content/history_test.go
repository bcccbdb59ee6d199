package content

import "testing"

// An entry keeps its version when a draft links to it or no longer does. Its former
// state can be read all the same.
func TestHistoryGoesOnFromDraftLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	restaurant := f.create("restaurant", `{"name": "Hello"}`)
	review := f.create("review", `{"note": 3, "restaurant": "`+restaurant+`"}`)
	f.update("review", review, `{"note": 4}`)
	before := f.mustRead("review", liveOf(review, ""))
	f.update("restaurant", restaurant, `{"reviews": []}`, asDraft)
	after := f.mustRead("review", liveOf(review, ""))
	if after.Stamp != before.Stamp || after.Fields.Equal(before.Fields) {
		t.Fatalf("the review went from %+v to %+v", before, after)
	}
	checkHistory(t, f.db)
}
