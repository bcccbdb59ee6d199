package main

import (
	"errors"
	"fmt"
)

// A budget is the maximum number of bytes of scripts, compressed, that an action of the
// user may load.
type budget struct {
	name   string
	bytes  int
	entry  string   // what is loaded
	loaded []string // the entries that are already loaded
}

var budgets = []budget{
	{"sign-in and list", 60 << 10, "main.js", nil},
	{"editor", 40 << 10, "editor.js", []string{"main.js"}},
	{"merging texts", 6 << 10, "merge.js", []string{"main.js", "editor.js"}},
	{"preview", 8 << 10, "preview.js", []string{"main.js", "editor.js"}},
	{"blocks", 75 << 10, "blocks.js", []string{"main.js", "editor.js"}},
	{"Markdown", 105 << 10, "markdown.js", []string{"main.js", "editor.js"}},
	{"media", 24 << 10, "media.js", []string{"main.js"}},
	{"types", 40 << 10, "types.js", []string{"main.js"}},
	{"people", 20 << 10, "people.js", []string{"main.js"}},
	{"operation", 12 << 10, "operation.js", []string{"main.js"}},
	{"webhooks", 12 << 10, "webhooks.js", []string{"main.js", "operation.js"}},
	{"transfer", 10 << 10, "transfer.js", []string{"main.js", "operation.js"}},
	{"arranging", 12 << 10, "arrange.js", []string{"main.js"}},
	{"suggestions", 16 << 10, "suggestions.js", []string{"main.js", "editor.js"}},
	{"review", 6 << 10, "review.js", []string{"main.js", "editor.js"}},
	{"parts of the home", 8 << 10, "home.js", []string{"main.js"}},
	{"saved views", 6 << 10, "views.js", []string{"main.js"}},
	{"approvals", 16 << 10, "changes.js", []string{"main.js"}},
	{"releases", 12 << 10, "releases.js", []string{"main.js"}},
	{"adding to a release", 8 << 10, "release-add.js", []string{"main.js", "editor.js"}},
	{"settings", 16 << 10, "settings.js", []string{"main.js"}},
	{"searches", 10 << 10, "searches.js", []string{"main.js", "settings.js"}},
	{"account security", 12 << 10, "security.js", []string{"main.js"}},
	{"assistants", 8 << 10, "assistants.js", []string{"main.js"}},
	{"JSON", 100 << 10, "json.js", []string{"main.js", "editor.js"}},
}

// checkBudgets prints what each action loads, and fails if one of them is over budget.
func checkBudgets(built *bundled) error {
	var problems []error
	for _, b := range budgets {
		there := map[string]bool{}
		for _, entry := range b.loaded {
			load(built, entry, there)
		}
		n := load(built, b.entry, there)
		fmt.Printf("%-18s %6.1f of %d KiB\n", b.name, float64(n)/1024, b.bytes>>10)
		if n > b.bytes {
			problems = append(problems, fmt.Errorf("%s: %d bytes of scripts, the budget is %d", b.name, n, b.bytes))
		}
	}
	return errors.Join(problems...)
}

// load returns the compressed bytes of a script and of those that it needs, except what is
// in there, and adds them to there.
func load(built *bundled, name string, there map[string]bool) int {
	if there[name] {
		return 0
	}
	there[name] = true
	total := len(built.compressed[name])
	for _, imported := range built.imports[name] {
		total += load(built, imported, there)
	}
	return total
}
