package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/compare"
	"quire/transfer/pull"
)

func newPush() *cobra.Command {
	var in app.Pushing
	var dry bool
	c := &cobra.Command{
		Use:   "push [--dry-run] [--skip-conflicts] FROM [SITE]",
		Short: "Make the changes of another site in this one",
		Long: `Push makes in SITE what has changed in the site FROM since the two were the same:
content, new files, and what FROM adds to the schemas. Users, roles, tokens, settings and
accounts belong to each site. One site must have been made from the other, with quire backup
and quire restore or as a copy of the folder.

Each of the two is a site folder, or the address of a running server. The environment then has
a token of that server: for FROM ` + app.PushFromToken + ` with plugin::quire.follow.read, for
SITE ` + app.PushToToken + ` with plugin::quire.push.write, or the name of a file in
` + app.PushFromToken + `_FILE and ` + app.PushToToken + `_FILE.

What only SITE has changed stays. If both have changed a document, the push lists it with the
attributes that differ, and does nothing; --skip-conflicts pushes the rest.

The content is one transaction. The next quire undo --by command:push takes it back.`,
		Example: `  quire push --dry-run staging production
  quire push staging production
  quire undo --by command:push --since 10m production
  quire push staging https://guide.example.org`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			in.From, in.To.Site, in.Do = args[0], siteArgument(args[1:]), !dry
			switch {
			case !app.IsAddress(in.From) && kindAt(in.From) != aFolder:
				return misused("%s is not a site folder, nor the address of a server", in.From)
			case in.To.Data != "" && app.IsAddress(in.To.Site):
				return misused("--data goes with a site folder")
			}
			return runPush(c, &in)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would be done")
	c.Flags().BoolVar(&in.SkipConflicts, "skip-conflicts", false, "leave out documents that both sites have changed, and push the rest")
	c.Flags().BoolVar(&in.Insecure, "insecure", false, "use http to another machine")
	dataFlag(c, &in.To)
	return c
}

func runPush(c *cobra.Command, in *app.Pushing) error {
	pushed, who, err := in.Push(c.Context())
	if err != nil {
		if errors.As(err, new(*pull.AddressError)) {
			return misuse{err}
		}
		return err
	}
	pushed.Entries, pushed.Conflicts, pushed.Left = noNil(pushed.Entries), noNil(pushed.Conflicts), noNil(pushed.Left)
	out := outputOf(c)
	out.doneBy(who)
	if err := out.result(pushed, line("%s", pushedText(in.PushRequest, pushed))); err != nil {
		return err
	}
	if n := len(pushed.Conflicts); n > 0 && !in.SkipConflicts {
		return fmt.Errorf("both sites have changed %s; nothing was pushed. Make them alike in one of the sites, or use --skip-conflicts", count(n, "document", "documents"))
	}
	return nil
}

// pushedText describes a push for people.
func pushedText(in app.PushRequest, pushed app.Pushed) string {
	var text strings.Builder
	named := func(word, uid, id, title string) {
		fmt.Fprintf(&text, "%s %s", word, strings.TrimSpace(uid+" "+id+" "+printable(title)))
	}
	for _, s := range pushed.Schemas {
		fmt.Fprintf(&text, "%s schema %s\n", signs[s.Change], strings.TrimSuffix(strings.TrimSuffix(s.Type+"."+s.Attribute, ".")+": "+s.Detail, ": "))
	}
	for _, c := range pushed.Conflicts {
		named("conflict", c.Type, c.DocumentID, c.Title)
		fmt.Fprintf(&text, ": %s\n", strings.TrimSuffix(c.Reason+": "+strings.Join(c.Attributes, ", "), ": "))
	}
	if len(pushed.Conflicts) > 0 && !in.SkipConflicts {
		return strings.TrimSuffix(text.String(), "\n")
	}
	for _, e := range pushed.Entries {
		named(signs[e.Change], e.Type, strings.TrimSpace(e.DocumentID+" "+e.Locale)+" "+e.Status, e.Title)
		if e.Change == compare.Changed {
			fmt.Fprintf(&text, ": %s", strings.Join(e.Attributes, ", "))
		}
		text.WriteString("\n")
	}
	for _, l := range pushed.Left {
		named("left", l.Type, l.DocumentID, l.Title)
		fmt.Fprintf(&text, ": %s\n", l.Reason)
	}
	verb := "pushed"
	if !pushed.Done {
		verb = "would be pushed"
	}
	fmt.Fprintf(&text, "%s and %s %s; %s", count(len(pushed.Entries), "entry", "entries"), count(pushed.Files, "new file", "new files"), verb,
		count(pushed.Kept, "document that only the second site has changed stays", "documents that only the second site has changed stay"))
	return text.String()
}
