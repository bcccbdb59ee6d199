package mcp

import (
	"testing"
	"time"

	"quire/schema/settings"
)

// Many calls at once use no more than an agent may: each that runs counts as what it can use.
func TestCallsAtOnceAreCounted(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	u := NewUsage(func() time.Time { return now })
	limits := &settings.MCPLimits{Calls: 1000, Documents: 1000, Bytes: 1 << 20, Answer: 100 << 10}
	var ends []func(documents, bytes int)
	for {
		end, err := u.begin("admin:ada", 0, limits)
		if err != nil {
			break
		}
		if ends = append(ends, end); len(ends) > 100 {
			t.Fatal("any number of calls run at once")
		}
	}
	if want := limits.Documents / mostItems; len(ends) != want {
		t.Errorf("%d calls run at once, want %d", len(ends), want)
	}
	for _, end := range ends {
		end(100, 10<<10)
	}
	if end, err := u.begin("admin:ada", 0, limits); err != nil {
		t.Errorf("when all have ended: %v", err)
	} else {
		now = now.Add(time.Minute) // a call that ends in the next minute counts there
		end(400, 0)
	}
	if m := u.minutes["admin:ada"]; m.running != 0 || m.documents != 400 || m.calls != 0 {
		t.Errorf("%+v", m)
	}
	limits.Documents = 1 << 30
	n := 0
	for ; n < 100; n++ {
		if _, err := u.begin("admin:ada", 0, limits); err != nil {
			break
		}
	}
	if n > limits.Bytes/limits.Answer+1 {
		t.Errorf("%d answers are made at once", n)
	}
}
