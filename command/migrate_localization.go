package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/content/migrate"
	"quire/schema"
)

func newMigrateLocalization() *cobra.Command {
	var l app.Localizing
	c := onSite(0, &cobra.Command{
		Use:   "localization [--dry-run] [--locale LOCALE] [--keep old|new] [SITE]",
		Short: "Adapt content to types that are now localized, or no longer are",
		Long: `Localization adapts the content of all types that are now localized, or no longer are.
Until that is done, a server does not start with such a type. A running server keeps the
previous schemas.

If a type is now localized, its entries get the default locale of site.json, or LOCALE.
Versions that were kept when it was localized before are served again.

If a type is no longer localized, each document keeps its version in that locale, or in
the first locale that it has. The other versions stay in the data file. They are not
served.

If a version would replace another version of its document, the command changes nothing,
unless you give --keep: "old" keeps the version that moves, "new" the one that is
already there.

It works on a copy of the data file, which replaces the data file when all is done.`,
		Example: `  quire migrate localization --dry-run my-site
  quire migrate localization my-site
  quire migrate localization --locale de my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return runLocalization(c, &l, at)
	})
	c.Flags().StringVar(&l.Locale, "locale", "", "`LOCALE` that content gets or keeps (default that of site.json)")
	c.Flags().StringVar((*string)(&l.Keep), "keep", "", "which version stays if one would replace another: `old|new`")
	c.Flags().BoolVar(&l.DryRun, "dry-run", false, "print what would be changed, and change nothing")
	return c
}

func runLocalization(c *cobra.Command, l *app.Localizing, at app.Location) error {
	done, who, err := at.Localize(c.Context(), l)
	if err != nil {
		return err
	}
	out := outputOf(c)
	out.doneBy(who)
	return out.report(localizedOf(l, done), func(w io.Writer) error { return printLocalization(w, l, done) })
}

// localized is the result of a localization or of its dry run, as JSON shows it.
type localized struct {
	DryRun bool          `json:"dryRun"`
	Moves  []movedLocale `json:"moves"`
	Links  int           `json:"links"` // links that named another locale of their document and no longer do
}

// movedLocale counts the entries of one type that change their locale in the same way.
type movedLocale struct {
	Type    string `json:"type"`
	From    string `json:"from"`
	To      string `json:"to"`
	Removed bool   `json:"removed"`
	Status  string `json:"status"`
	Count   int    `json:"count"`
}

func localizedOf(l *app.Localizing, done *migrate.Localized) localized {
	shown := localized{DryRun: l.DryRun, Moves: []movedLocale{}, Links: done.Links}
	for _, m := range done.Moves {
		shown.Moves = append(shown.Moves, movedLocale{m.Type, storedAs(m.From), storedAs(m.To), m.Removed, m.Status, m.Count})
	}
	return shown
}

func printLocalization(w io.Writer, l *app.Localizing, done *migrate.Localized) error {
	if len(done.Moves) == 0 {
		_, err := fmt.Fprintln(w, "all content is stored as the schemas have it; there is nothing to do")
		return err
	}
	total := 0
	err := printTable(w, "TYPE\tFROM\tTO\tSTATUS\tENTRIES", done.Moves, func(m migrate.LocalizedEntries) string {
		to := storedAs(m.To)
		switch {
		case m.Removed:
			to = "deleted"
		case m.From == m.To:
			to += " (links change)"
		}
		total += m.Count
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%d", m.Type, storedAs(m.From), to, m.Status, m.Count)
	})
	if err != nil {
		return err
	}
	if done.Links > 0 {
		fmt.Fprintf(w, "%s named another locale than the one that their document has now, and no longer do\n", count(done.Links, "link", "links"))
	}
	verb := "changed"
	if l.DryRun {
		verb = "would be changed; nothing was. Make a backup before you do it: `quire backup FILE SITE`"
	}
	_, err = fmt.Fprintf(w, "%s %s\n", count(total, "entry", "entries"), verb)
	return err
}

// storedAs describes the locale under which entries are stored, for a table.
func storedAs(stored string) string {
	locale, aside := schema.AsideOf(stored)
	switch {
	case aside:
		return locale + " (kept aside)"
	case stored == "":
		return "none"
	}
	return stored
}
