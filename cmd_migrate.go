package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"quire/content"
	"quire/schema"
	"quire/server"
	"quire/store"
)

func newMigrate() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Make what is stored follow changed schemas, or the program",
		Long: `When an attribute gets another name in its schema, or goes, what is stored under
it stays in the data file and is not served; "quire check" lists it. Rename moves
it to the new name, drop deletes it. Format brings the data file of an earlier
version of the program to the format of this one.

Make a backup first, with "quire backup SITE FILE". What cannot be done is refused
before anything is changed; a command that was cut off can be given again, and does
the rest. If a server runs, it does the work, and serves the schemas as they are then.`,
		Example: `  quire migrate rename --dry-run api::dish.dish title name my-site
  quire migrate drop api::dish.dish subtitle my-site
  quire migrate format my-site`,
	}
	c.AddCommand(newMigrateRename(), newMigrateDrop(), newMigrateFormat())
	return c
}

func newMigrateRename() *cobra.Command {
	var p place
	var m migrating
	c := &cobra.Command{
		Use:   "rename [--dry-run] TYPE OLD NEW [SITE]",
		Short: "Give the values of a renamed attribute to its new name",
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
			p.site = siteArgument(args[3:])
			return m.run(c, p)
		},
	}
	c.Flags().StringVar((*string)(&m.Keep), "keep", "", "which value stays where both are stored: `old or new`")
	m.flags(c, &p)
	return c
}

func newMigrateDrop() *cobra.Command {
	var p place
	var m migrating
	c := &cobra.Command{
		Use:   "drop [--dry-run] TYPE [ATTRIBUTE] [SITE]",
		Short: "Delete what is stored of an attribute or a type that is gone",
		Long: `Drop deletes what is stored as ATTRIBUTE of TYPE, which is a content type or a
component, in every entry, locale and version. Without ATTRIBUTE it deletes all
entries of a content type, with the links to it that other relations may have, or
all instances of a component. The schemas must not have it any more.

A SITE right after TYPE is written with a slash, as in ./my-site, which tells it
from an attribute.`,
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
				return fmt.Errorf("%q is one argument too many", args[1])
			}
			p.site = siteArgument(args)
			return m.run(c, p)
		},
	}
	m.flags(c, &p)
	return c
}

// isFolder tells a path from the name of an attribute.
func isFolder(argument string) bool {
	return argument == "." || argument == ".." || strings.ContainsAny(argument, `/\`)
}

// migrating is one call of a migration, as a running server is asked for it.
type migrating struct {
	content.Migration
	DryRun bool
}

func (m *migrating) flags(c *cobra.Command, p *place) {
	c.Flags().BoolVar(&m.DryRun, "dry-run", false, "print what would be changed, and change nothing")
	dataFlag(c, p)
}

func (m *migrating) run(c *cobra.Command, p place) error {
	args, err := json.Marshal(m)
	if err != nil {
		return err
	}
	answer, who, err := p.carryOutOr(c.Context(), "data migrate", args, func() (json.RawMessage, error) {
		done, err := m.here(c.Context(), p)
		if err != nil {
			return nil, err
		}
		return json.Marshal(done)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "quire: done by %s\n", who)
	done := new(content.Migrated)
	if err := json.Unmarshal(answer, done); err != nil {
		return err
	}
	return m.print(c.OutOrStdout(), done)
}

func (m *migrating) print(w io.Writer, done *content.Migrated) error {
	if done.Total() == 0 {
		_, err := fmt.Fprintf(w, "nothing is stored as %s\n", strings.TrimSuffix(m.Type+" "+m.From, " "))
		return err
	}
	err := printTable(w, "TYPE\tLOCALE\tSTATUS\tENTRIES", done.Entries, func(e content.MigratedEntries) string {
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
		verb = "would be changed; nothing was. Make a backup before you do it: `quire backup SITE FILE`"
	}
	_, err = fmt.Fprintf(w, "%s %s\n", count(done.Total(), "entry", "entries"), verb)
	return err
}

// on carries the migration out, or tells what it would do.
func (m *migrating) on(ctx context.Context, db *store.DB, site *schema.Site) (*content.Migrated, error) {
	if m.DryRun {
		return m.Preview(ctx, db, site)
	}
	return m.Migrate(ctx, db, site)
}

// here works on the data file, which nobody else has.
func (m *migrating) here(ctx context.Context, p place) (done *content.Migrated, err error) {
	site, err := p.load()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(p.dataFile()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no data file %s", p.dataFile())
	}
	db, err := store.Open(p.dataFile(), store.Options{ReadOnly: m.DryRun})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return m.on(ctx, db, site)
}

// migrateLive works on the data that is being served, by the schemas as they are
// now, and serves those from then on. Reads are answered meanwhile; writes are
// asked to come back.
func (a *app) migrateLive(ctx context.Context, args json.RawMessage) (done *content.Migrated, err error) {
	var m migrating
	if err := json.Unmarshal(args, &m); err != nil {
		return nil, err
	}
	site, err := a.load()
	if err != nil {
		return nil, err
	}
	if problems := server.CheckSite(site); problems != nil {
		return nil, errors.Join(problems...)
	}
	// What is refused should not keep writes waiting.
	if done, err = m.Preview(ctx, a.db, site); err != nil || m.DryRun {
		return done, err
	}
	err = a.replaceAfter(site, func() error {
		done, err = m.Migrate(ctx, a.db, site)
		return err
	})
	if err != nil && !errors.As(err, new(*content.MigrationError)) {
		a.suspend() // the way back is to read everything anew
	}
	return done, err
}
