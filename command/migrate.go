package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/content/migrate"
)

func newMigrate() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Adapt stored content to changed schemas",
		Long: `Migrate adapts the stored content to schemas that have changed:

  plan          shows what the schemas do to the content, and changes nothing
  rename        moves the values of an attribute that has another name now
  rename-type   moves the content of a type or component that has another name now
  convert       converts values to the kind that the schemas now require
  drop          deletes what the schemas no longer have
  localization  follows types that are now localized, or no longer are
  format        converts the data file of an earlier version of Quire

What the schemas no longer have stays in the data file. Quire does not serve it, and
"quire check" lists it.

Make a backup first, with --backup FILE or "quire backup FILE SITE". If something cannot
be done, the command changes nothing. If it is interrupted, run it again, and it does
the rest. A running server does the work and uses the new schemas from then on.`,
		Example: `  quire migrate rename --dry-run api::dish.dish title name my-site
  quire migrate drop api::dish.dish subtitle my-site
  quire migrate format my-site`,
	}
	return group(c, newMigratePlan(), newMigrateRename(), newMigrateRenameType(), newMigrateConvert(), newMigrateDrop(), newMigrateLocalization(), newMigrateFormat())
}

func newMigrateRename() *cobra.Command {
	var at app.Location
	var m app.Migrating
	var backup string
	c := &cobra.Command{
		Use:   "rename [--dry-run] [--backup FILE] TYPE OLD NEW [SITE]",
		Short: "Move the values of a renamed attribute to its new name",
		Long: `Rename moves what is stored as the attribute OLD of TYPE, a content type or a component,
to the attribute NEW, in every entry, locale and version. The schema must have NEW and no
longer have OLD, and every value must be valid for NEW. Links and files move like other
values. The other side of a relation needs no change.

If something is already stored as NEW, the command changes nothing, unless you give
--keep: "old" keeps the value that moves, "new" the one that is already there.`,
		Example: `  quire migrate rename --dry-run api::dish.dish title name my-site
  quire migrate rename api::dish.dish title name my-site
  quire migrate rename place.address street road`,
		Args: cobra.RangeArgs(3, 4),
		RunE: func(c *cobra.Command, args []string) error {
			m.Type, m.From, m.To = args[0], args[1], args[2]
			at.Site = siteArgument(args[3:])
			if !slices.Contains([]migrate.Kept{migrate.KeepNeither, migrate.KeepOld, migrate.KeepNew}, m.Keep) {
				return misused("--keep is old or new, not %q", m.Keep)
			}
			return runMigration(c, &m, at, backup)
		},
	}
	c.Flags().StringVar((*string)(&m.Keep), "keep", "", "which value stays if both are stored: `old|new`")
	migrationFlags(c, &m, &at, &backup)
	return c
}

func newMigrateDrop() *cobra.Command {
	var at app.Location
	var m app.Migrating
	var backup string
	c := &cobra.Command{
		Use:   "drop [--dry-run] [--backup FILE] TYPE [ATTRIBUTE] [SITE]",
		Short: "Delete what is stored for an attribute or type that the schemas no longer have",
		Long: `Drop deletes what is stored as ATTRIBUTE of TYPE, a content type or a component, in every
entry, locale and version. Without ATTRIBUTE, it deletes all entries of the content type,
with the links to them, or all instances of the component. The schemas must no longer
have what it deletes.

If SITE comes right after TYPE, write it with a slash, as in ./my-site. Otherwise it is
taken for ATTRIBUTE.`,
		Example: `  quire migrate drop --dry-run api::dish.dish subtitle my-site
  quire migrate drop api::dish.dish subtitle my-site
  quire migrate drop api::menu.menu ./my-site`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(c *cobra.Command, args []string) error {
			m.Type, args = args[0], args[1:]
			if len(args) > 0 && !isFolder(args[0]) {
				m.From, args = args[0], args[1:]
			}
			if len(args) > 1 {
				return misused("%s", oneTooMany(args[1]))
			}
			at.Site = siteArgument(args)
			return runMigration(c, &m, at, backup)
		},
	}
	migrationFlags(c, &m, &at, &backup)
	return c
}

// isFolder distinguishes a path from the name of an attribute.
func isFolder(argument string) bool {
	return argument == "." || argument == ".." || strings.ContainsAny(argument, `/\`)
}

func migrationFlags(c *cobra.Command, m *app.Migrating, at *app.Location, backup *string) {
	backupFlag(c, backup)
	c.Flags().BoolVar(&m.DryRun, "dry-run", false, "print what would be changed, and change nothing")
	dataFlag(c, at)
}

func runMigration(c *cobra.Command, m *app.Migrating, at app.Location, backup string) error {
	if !m.DryRun {
		if err := backUpFirst(c, at, backup); err != nil {
			return err
		}
	}
	done, who, err := at.Migrate(c.Context(), m)
	if err != nil {
		return err
	}
	out := outputOf(c)
	out.doneBy(who)
	return out.report(migrated{m.DryRun, countsOf(done), done.Components, done.Links}, func(w io.Writer) error { return printMigration(w, m, done) })
}

// migrated is the result of a migration or of its dry run, as JSON shows it.
type migrated struct {
	DryRun     bool            `json:"dryRun"`
	Entries    []entriesOfType `json:"entries"`
	Components int             `json:"components"` // inside those
	Links      int             `json:"links"`      // inside those
}

// entriesOfType counts the entries of one type, locale and status.
type entriesOfType struct {
	Type   string `json:"type"`
	Locale string `json:"locale,omitempty"`
	Status string `json:"status"`
	Count  int    `json:"count"`
}

func countsOf(done *migrate.Migrated) []entriesOfType {
	list := []entriesOfType{}
	for _, e := range done.Entries {
		list = append(list, entriesOfType(e))
	}
	return list
}

func printMigration(w io.Writer, m *app.Migrating, done *migrate.Migrated) error {
	if done.Total() == 0 {
		_, err := fmt.Fprintf(w, "nothing is stored as %s\n", strings.TrimSuffix(m.Type+" "+m.From, " "))
		return err
	}
	err := printTable(w, "TYPE\tLOCALE\tSTATUS\tENTRIES", done.Entries, func(e migrate.MigratedEntries) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d", e.Type, e.Locale, e.Status, e.Count)
	})
	if err != nil {
		return err
	}
	if done.Components > 0 {
		fmt.Fprintf(w, "%s inside them\n", count(done.Components, "component", "components"))
	}
	if done.Links > 0 {
		fmt.Fprintf(w, "%s inside them\n", count(done.Links, "link", "links"))
	}
	verb := "changed"
	if m.DryRun {
		verb = "would be changed; nothing was. Make a backup before you do it: `quire backup FILE SITE`"
	}
	_, err = fmt.Fprintf(w, "%s %s\n", count(done.Total(), "entry", "entries"), verb)
	return err
}
