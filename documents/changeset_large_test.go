package documents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quire/content/changeset"
	"quire/content/contenttest"
	"quire/documents"
)

// weighing is a budget that knows the most that was reserved.
type weighing struct {
	openBudget
	most int
}

func (w *weighing) Reserve(n int) error { w.most = max(w.most, n); return nil }

// allocated is how many bytes something allocates.
func allocated(t *testing.T, do func() error) int {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	check(t, do())
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// The largest change set, of a thousand changes with long texts, is proposed, shown and approved
// with memory in proportion to its size, which the budget of the request counts.
func TestTheLargestChangeSet(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	budget := &weighing{}
	call.Budget = budget
	ctx := context.Background()
	const bytes = changeset.MostBytes/changeset.MostSteps - 250
	steps := make([]changeset.Step, changeset.MostSteps)
	for i := range steps {
		id := f.Create("chef", fmt.Sprintf(`{"name": "Chef %d", "bio": %q}`, i, strings.Repeat("a", bytes)))
		steps[i] = changeset.Step{Action: "update", Type: "api::chef.chef", DocumentID: id, Status: "draft", Data: json.RawMessage(fmt.Sprintf(`{"bio": %q}`, strings.Repeat("b", bytes)))}
	}
	call.Latest()
	published := slices.Clone(steps)
	for i := range published {
		published[i].Status = "published"
	}
	if _, err := call.Propose(ctx, "", published); documents.Explain(err) == nil || documents.Explain(err).Kind != documents.TooLarge {
		t.Errorf("what one transaction cannot store is proposed: %v", err)
	}
	var set *changeset.ChangeSet
	proposed := allocated(t, func() (err error) { set, err = call.Propose(ctx, "", steps); return err })
	if set, err := call.ChangeSet(set.ID); err != nil || set.Count != changeset.MostSteps || set.Bytes < changeset.MostBytes*9/10 {
		t.Fatalf("%d changes with %d bytes, %v", set.Count, set.Bytes, err)
	}
	shown := allocated(t, func() error { _, err := call.Effects(ctx, set.Steps); return err })
	if least := 4 * changeset.MostSteps * bytes; budget.most < least {
		t.Errorf("%d bytes were reserved of %d at least", budget.most, least)
	}
	approved := allocated(t, func() error { return call.Approve(ctx, set.ID) })
	for name, took := range map[string]int{"proposing": proposed, "showing": shown, "approving": approved} {
		times := float64(took) / float64(set.Bytes)
		t.Logf("%s allocates %d MiB, %.1f times the size of the set", name, took>>20, times)
		if times > 80 {
			t.Errorf("%s allocates %d MiB for %d KiB", name, took>>20, set.Bytes>>10)
		}
	}
	if e := f.MustRead("chef", contenttest.DraftOf(steps[len(steps)-1].DocumentID, "")); !strings.HasPrefix(e.Value("bio").Text, "bbb") {
		t.Error("it was not done")
	}
}
