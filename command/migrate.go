package command

import (
	"fmt"
	"io"
	"quire/content/migrate"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
)

func newMigrate() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Adapt stored content to changed schemas",
		Long: `When an attribute gets another name in its schema, or goes, what is stored under
it stays in the data file and is not served; "quire check" lists it. Rename moves
it to the new name, drop deletes it. Convert follows attributes of another kind,
rename-type types of another name, localization types that are localized now, or no
longer are. Plan says what there is to do. Format brings the data file of an earlier
version of the program to the format of this one.

Make a backup first, with --backup FILE or "quire backup FILE SITE". What cannot be done is refused
before anything is changed; a command that was cut off can be given again, and does
the rest. If a server runs, it does the work, and serves the schemas as they are then.`,
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
		Long: `Rename moves what is stored as the attribute OLD of TYPE, which is a content type
or a component, to the attribute NEW, in every entry, locale and version. The
schema must have NEW and no longer OLD, and every value must be one that NEW can
have. Links and files move like other values; the other side of a relation needs
nothing.

Where a value is stored as NEW already, nothing is done at all, unless --keep says
which of the two stays: the old one, which moves, or the new one.`,
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
	c.Flags().StringVar((*string)(&m.Keep), "keep", "", "which value stays where both are stored: `old or new`")
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
		Long: `Drop deletes what is stored as ATTRIBUTE of TYPE, which is a content type or a
component, in every entry, locale and version. Without ATTRIBUTE it deletes all
entries of a content type, with the links to it that other relations may have, or
all instances of a component. The schemas must not have it any more.

A SITE right after TYPE is written with a slash, as in ./my-site, which
makes it no attribute.`,
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
