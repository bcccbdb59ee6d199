package command

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/content/migrate"
)

// evolving is one call of a command that adapts content to the current schemas.
type evolving struct {
	app.Evolving
	at     app.Location
	backup string

	renames, types, drops, only []string             // as given in flags
	shows                       []migrate.EffectKind // empty for all
}

func newMigratePlan() *cobra.Command {
	e := &evolving{}
	e.DryRun = true
	c := &cobra.Command{
		Use:   "plan [--from FOLDER] [--rename-type OLD=NEW]... [--rename TYPE.OLD=NEW]... [--drop TYPE[.ATTRIBUTE]]... [SITE]",
		Short: "Print what the current schemas do to the stored content",
		Long: `Plan reads the content and shows what the current schemas do to it: which values are
renamed, deleted, converted, no longer served or served again, which cannot be converted,
and which break a rule. For each it shows the number of documents, and examples. It
changes nothing.

With --from, it compares with the schemas in FOLDER, such as those of the last commit,
and shows what is new. Without --from, it shows everything that does not fit.`,
		Example: `  quire migrate plan my-site
  git worktree add /tmp/before HEAD && quire migrate plan --from /tmp/before my-site
  quire migrate plan --rename api::dish.dish.title=name --json my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&e.Former, "from", "", "site `FOLDER` with the schemas to compare with")
	f.StringArrayVar(&e.types, "rename-type", nil, "a type or component that has another name: `OLD=NEW`")
	f.StringArrayVar(&e.renames, "rename", nil, "an attribute that has another name: `TYPE.OLD=NEW`")
	f.StringArrayVar(&e.drops, "drop", nil, "a type or attribute that is to be deleted: `TYPE[.ATTRIBUTE]`")
	f.IntVar(&e.Bounds.Examples, "examples", 3, "how many examples of each: `N`, -1 for none")
	f.DurationVar(&e.Bounds.Time, "for", 0, "stop reading after so long: `TIME`, as in 30s")
	dataFlag(c, &e.at)
	return c
}

func newMigrateConvert() *cobra.Command {
	e := &evolving{shows: []migrate.EffectKind{migrate.Converted, migrate.Unconvertible, migrate.Cut, migrate.Drafted}}
	c := &cobra.Command{
		Use:   "convert [--dry-run] [--drop-unconvertible] [--only TYPE[.ATTRIBUTE]]... [--backup FILE] [SITE]",
		Short: "Convert values that are stored as another kind than the schemas say",
		Long: `Convert changes stored values to the kind that the schemas now require: text to numbers,
numbers to text, text to choices, or a list of links or components to the first of them.
It does so at every depth, in drafts and in published versions.

It never rounds or guesses. If a value cannot be converted, or a list would be cut, it
changes nothing; --dry-run lists such values. With --drop-unconvertible, it deletes these
values and cuts these lists.

It works on a copy of the data file, which replaces the data file when all is done.`,
		Example: `  quire migrate convert --dry-run my-site
  quire migrate convert --backup before.tar.zst my-site
  quire migrate convert --only api::dish.dish.price --drop-unconvertible my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.run(c, args) },
	}
	c.Flags().StringArrayVar(&e.only, "only", nil, "convert only this: `TYPE[.ATTRIBUTE]`; repeatable")
	c.Flags().BoolVar(&e.Lossy, "drop-unconvertible", false, "delete values that cannot be converted, and cut lists that are too long")
	e.flags(c)
	return c
}

func newMigrateRenameType() *cobra.Command {
	e := &evolving{shows: []migrate.EffectKind{migrate.Renamed, migrate.Relocated}}
	c := &cobra.Command{
		Use:   "rename-type [--dry-run] [--backup FILE] OLD NEW [SITE]",
		Short: "Move the content of a renamed type or component to its new name",
		Long: `Rename-type moves everything that is stored for the content type or component OLD to NEW:
entries with their history, links, releases and schedules, permissions of roles and
tokens, webhooks, and what accounts of the admin keep. It also changes the name in
site.json. Change the schema files first: they must have NEW and no longer have OLD.

If the schemas also switch localization, the content follows in the same step, as with
"quire migrate localization".

It works on a copy of the data file, which replaces the data file when all is done.`,
		Example: `  quire migrate rename-type --dry-run api::dish.dish api::meal.meal my-site
  quire migrate rename-type place.address contact.address my-site`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			e.types = []string{args[0] + "=" + args[1]}
			e.Only = []migrate.Removed{{}} // nothing is converted
			return e.run(c, args[2:])
		},
	}
	e.flags(c)
	return c
}

// flags adds the flags of commands that change something.
func (e *evolving) flags(c *cobra.Command) {
	c.Flags().BoolVar(&e.DryRun, "dry-run", false, "print what would be changed, and change nothing")
	backupFlag(c, &e.backup)
	dataFlag(c, &e.at)
}

func backupFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "backup", "", "make a backup first: `FILE`")
}

func (e *evolving) run(c *cobra.Command, args []string) (err error) {
	e.at.Site = siteArgument(args)
	if err := e.read(); err != nil {
		return err
	}
	if !e.DryRun {
		if err := backUpFirst(c, e.at, e.backup); err != nil {
			return err
		}
	}
	out := outputOf(c)
	plan, who, err := e.at.Evolve(c.Context(), &e.Evolving)
	if err != nil {
		return err
	}
	out.doneBy(who)
	if e.shows != nil {
		plan.Effects = plan.Of(e.shows...)
	}
	return out.report(plan, func(w io.Writer) error { return e.print(w, plan) })
}

// backUpFirst makes a backup if a file is named for it.
func backUpFirst(c *cobra.Command, at app.Location, file string) error {
	if file == "" {
		return nil
	}
	b := backingUp{Location: at, backing: app.Backing{File: file}, output: outputOf(c)}
	b.stderr, b.quiet, b.json = io.Discard, b.quiet || b.json, false // the command itself reports
	return b.run(c.Context())
}

// print prints a plan and its result.
func (e *evolving) print(stdout io.Writer, plan *app.Evolved) (err error) {
	if len(plan.Effects) == 0 && len(plan.Mentions) == 0 {
		_, err := fmt.Fprintln(stdout, "all content is stored as the schemas have it; there is nothing to do")
		return err
	}
	fmt.Fprint(stdout, plan.Text())
	for _, one := range plan.Mentions {
		fmt.Fprintf(stdout, "site.json: %s: %s becomes %s\n", one.Place, one.Was, one.Replacement)
	}
	switch refusal := plan.Refused(); {
	case !e.DryRun:
		_, err = fmt.Fprintf(stdout, "%s changed\n", count(plan.Changed, "entry", "entries"))
	case refusal != nil:
		_, err = fmt.Fprintf(stdout, "it would be refused: %v\n", refusal)
	default:
		_, err = fmt.Fprintf(stdout, "%s would be changed; nothing was. Make a backup before you do it: `quire backup FILE SITE`\n", count(plan.Changed, "entry", "entries"))
	}
	return err
}

// read parses the flags.
func (e *evolving) read() (err error) {
	if e.Former != "" {
		if e.Former, err = filepath.Abs(e.Former); err != nil {
			return err
		}
	}
	for _, text := range e.types {
		old, name, ok := strings.Cut(text, "=")
		if !ok {
			return misused("%q is not OLD=NEW", text)
		}
		e.Types = append(e.Types, migrate.Rename{Old: old, New: name})
	}
	for _, text := range e.renames {
		old, name, ok := strings.Cut(text, "=")
		at := attributeOf(old)
		if !ok || at.Attribute == "" {
			return misused("%q is not TYPE.OLD=NEW", text)
		}
		e.Attributes = append(e.Attributes, migrate.Rename{Type: at.Type, Old: at.Attribute, New: name})
	}
	for _, text := range e.drops {
		e.Drop = append(e.Drop, attributeOf(text))
	}
	for _, text := range e.only {
		e.Only = append(e.Only, attributeOf(text))
	}
	return nil
}

// attributeOf parses TYPE or TYPE.ATTRIBUTE. The uid of a type contains one dot.
func attributeOf(text string) migrate.Removed {
	if first := strings.IndexByte(text, '.'); first >= 0 {
		if second := strings.IndexByte(text[first+1:], '.'); second >= 0 {
			return migrate.Removed{Type: text[:first+1+second], Attribute: text[first+2+second:]}
		}
	}
	return migrate.Removed{Type: text}
}
