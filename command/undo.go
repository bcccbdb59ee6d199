package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/schema/settings"
)

func newUndo() *cobra.Command {
	var in app.UndoRequest
	var since string
	var dry bool
	c := onSite(0, &cobra.Command{
		Use:   "undo --by AUTHOR --since TIME [--dry-run] [SITE]",
		Short: "Take back what one author has changed",
		Long: `Undo takes back everything that one author has changed in the content since a moment: what
was created is deleted, what was deleted returns, and what was changed, published or
unpublished becomes what it was. All of it is one transaction, or nothing is done. Documents
that others have changed since then, or whose history is gone, stay as they are and are
listed; so do files, whose bytes no transaction brings back.

AUTHOR is as the history shows it: the kind, and the id or name, such as
admin:27a7a9d720f1888b or token:deploy. TIME is a moment, such as
2026-01-31T12:00:00Z, or a length of time before now, such as 2h.`,
		Example: `  quire undo --by token:importer --since 2h --dry-run my-site
  quire undo --by token:importer --since 2026-01-31T12:00:00Z my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		var err error
		if in.Since, err = whenOf("since", since); err != nil {
			return err
		}
		if kind, _, ok := strings.Cut(in.By, ":"); !ok || kind == "" {
			return misused("--by takes an author such as admin:27a7a9d720f1888b or token:deploy")
		}
		in.Do = !dry
		return runUndo(c, at, in)
	})
	c.Flags().StringVar(&in.By, "by", "", "whose changes are taken back, as in the history, `AUTHOR`")
	c.Flags().StringVar(&since, "since", "", "since when: a moment, or a length of time before now, `TIME`")
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would be done")
	return c
}

// whenOf reads the moment of a flag in RFC 3339, or a length of time before now.
func whenOf(flag, text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	d, err := settings.ParseDuration(text)
	if err != nil || d <= 0 {
		return time.Time{}, misused("--%s takes a moment, such as 2026-01-31T12:00:00Z, or a length of time, such as 2h or 3d", flag)
	}
	return time.Now().Add(-d), nil
}

func runUndo(c *cobra.Command, at app.Location, in app.UndoRequest) error {
	undone, who, err := at.Undo(c.Context(), in)
	if err != nil {
		return err
	}
	out := outputOf(c)
	out.doneBy(who)
	var text strings.Builder
	for _, e := range undone.Entries {
		fmt.Fprintf(&text, "%s\t%s %s %s\n", e.Action, e.Type, strings.Join(strings.Fields(e.DocumentID+" "+e.Locale+" "+e.Status), " "), e.Title)
	}
	for _, e := range undone.Left {
		fmt.Fprintf(&text, "left\t%s %s: %s\n", e.Type, e.DocumentID, e.Reason)
	}
	if undone.Since.After(in.Since) {
		fmt.Fprintf(&text, "the log of changes begins at %s; what was changed before stays\n", undone.Since.Format(time.RFC3339))
	}
	verb := "changed"
	if !undone.Done {
		verb = "would change"
	}
	fmt.Fprintf(&text, "%s %s; %s", count(len(undone.Entries), "entry", "entries"), verb, count(len(undone.Left), "document stays as it is", "documents stay as they are"))
	return out.result(undone, line("%s", text.String()))
}
