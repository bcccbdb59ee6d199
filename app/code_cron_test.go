//go:build !nocode

package app

import (
	"testing"
	"time"

	"quire/code"
)

func TestTasksAreDueAtTheTimesOfTheirRules(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 1, 10, 0, 30, 0, time.UTC)
	for name, test := range map[string]struct {
		task code.Task
		want string
	}{
		"minutes":          {code.Task{Rule: "*/5 * * * *", Zone: "UTC"}, "2026-03-01T10:05:00Z"},
		"seconds":          {code.Task{Rule: "*/10 * * * * *", Zone: "UTC"}, "2026-03-01T10:00:40Z"},
		"in another zone":  {code.Task{Rule: "0 1 * * *", Zone: "Asia/Tokyo"}, "2026-03-01T16:00:00Z"},
		"not before start": {code.Task{Rule: "0 * * * *", Zone: "UTC", Start: "2026-03-02T00:00:00Z"}, "2026-03-02T00:00:00Z"},
		"not after end":    {code.Task{Rule: "0 * * * *", Zone: "UTC", End: "2026-03-01T10:30:00Z"}, ""},
		"once":             {code.Task{Rule: "2026-03-05T00:00:00Z"}, "2026-03-05T00:00:00Z"},
		"once, long ago":   {code.Task{Rule: "2020-03-05T00:00:00Z"}, ""},
	} {
		tasks, err := cronTasks([]code.Task{test.task})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		if due := tasks[0].next(from); !due.IsZero() {
			got = due.UTC().Format(time.RFC3339)
		}
		if got != test.want {
			t.Errorf("%s: due at %q, want %q", name, got, test.want)
		}
	}
	for _, bad := range []code.Task{{Name: "x", Rule: "often"}, {Name: "x", Rule: "* * * * *", Zone: "Mars"}, {Name: "x", Rule: "* * * * *", Start: "soon"}} {
		if _, err := cronTasks([]code.Task{bad}); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
