package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
)

// adopting is one call of the adopt command.
type adopting struct {
	importing
	export  string
	without bool // the export
	force   bool
	dry     bool
}

func newAdopt() *cobra.Command {
	var a adopting
	c := &cobra.Command{
		Use:   "adopt [FOLDER]",
		Short: "Make the folder of a Strapi project a site",
		Long: `Adopt makes the folder of a Strapi 5 project a site, in one step:

- It writes site.json with the locales and roles of an export, and with limits and
  other settings of config.
- It adds the data folder to .gitignore.
- It imports the export.
- It lists what is left to do.

It evaluates config and loads the code of the project, within the bounds of a
server and without content, and says for each file whether it runs. It deletes nothing. An existing site.json is changed only with --force;
without it, adopt shows what it would change. You can run it again.

An export is a .tar, .tar.gz or .tar.gz.enc file that "strapi export" wrote. Adopt
finds it in the folder itself, in its data or exports folder, or beside the folder
with the name export_….`,
		Example: `  quire adopt --dry-run my-project
  quire adopt my-project
  quire adopt --export export_20260101120000.tar.gz my-project
  quire adopt --force --no-import my-project`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			a.Site = siteArgument(args)
			a.stdin, a.output = c.InOrStdin(), outputOf(c)
			return a.adopt(c.Context())
		},
	}
	c.Flags().StringVar(&a.export, "export", "", "the `FILE` that strapi export wrote, if it is elsewhere or there are several")
	c.Flags().BoolVar(&a.without, "no-import", false, "import nothing; locales and roles of the export are still read")
	c.Flags().BoolVar(&a.force, "force", false, "change a site.json that exists")
	c.Flags().BoolVar(&a.skipErrors, "skip-errors", false, "leave out what cannot be imported, and list it")
	c.Flags().BoolVar(&a.dry, "dry-run", false, "show what would be done, and change nothing")
	a.key.flags(c)
	dataFlag(c, &a.Location)
	return c
}

// adopt carries out the steps one after another. If one fails, site.json and .gitignore
// stay unchanged.
func (a *adopting) adopt(ctx context.Context) error {
	if err := a.choose(); err != nil {
		return err
	}
	key, err := a.key.read(a.export)
	if err != nil {
		return err
	}
	plan, err := a.PlanAdoption(ctx, a.export, key)
	if err != nil {
		return err
	}
	did := &adopted{plan: plan, Site: a.Site, DryRun: a.dry, SiteJSON: a.siteJSON(plan), Ignore: plan.Ignore.Text, Export: a.export}
	if err := a.carryOut(ctx, did); err != nil {
		return err
	}
	site := plan.After
	if did.SiteJSON == siteKept {
		site = plan.Before
	}
	did.Code, did.Ignored = plan.Remaining(site)
	return a.report(did.document(), did.print)
}

// carryOut writes site.json, adds the data folder to .gitignore, and imports the
// export.
func (a *adopting) carryOut(ctx context.Context, did *adopted) error {
	if a.dry {
		return a.foresee(ctx, did)
	}
	written, err := did.plan.WriteSite(a.force)
	if err == nil {
		err = did.plan.Ignore.Add()
	}
	if err == nil {
		err = a.bring(ctx, did)
	}
	if err == nil || app.TookContent(err) {
		return err
	}
	if wrong := did.plan.Ignore.TakeBack(); wrong != nil {
		err = fmt.Errorf("%w\n.gitignore, which got a line, could not be taken back: %w", err, wrong)
	}
	if !written {
		return err
	}
	if wrong := did.plan.TakeBack(); wrong != nil {
		return fmt.Errorf("%w\nsite.json, which was written, could not be taken back: %w", err, wrong)
	}
	return fmt.Errorf("%w\nsite.json is as it was before", err)
}

// foresee finds out, for a dry run, whether the export would be imported.
func (a *adopting) foresee(ctx context.Context, did *adopted) (err error) {
	did.Skipped = a.without
	if a.export != "" && !a.without {
		err = a.CheckEmpty(ctx)
	}
	if app.HasContent(err) {
		did.Skipped, err = true, nil
	}
	return err
}

// choose finds the export, unless a flag names it.
func (a *adopting) choose() error {
	if a.export != "" {
		return nil
	}
	switch list := a.Exports(); {
	case len(list) == 1:
		a.export = list[0]
	case len(list) > 1:
		return misused("there are several exports; name one with --export: %s", strings.Join(list, ", "))
	}
	return nil
}

// siteJSON returns what happens to site.json.
func (a *adopting) siteJSON(plan *app.Adoption) string {
	switch {
	case string(plan.Before) == string(plan.After):
		return siteComplete
	case plan.Before == nil:
		return siteWritten
	case a.force:
		return siteChanged
	}
	return siteKept
}

// bring imports the export, unless the site has content already.
func (a *adopting) bring(ctx context.Context, did *adopted) error {
	if a.export == "" || a.without {
		did.Skipped = a.without
		return nil
	}
	a.files = []string{a.export}
	in, err := a.gather(ctx)
	if err != nil {
		return err
	}
	report, err := a.deliver(ctx, &in.Delivery)
	switch {
	case app.HasContent(err):
		did.Skipped = true
		return nil
	case app.TookContent(err):
		return err
	case err != nil:
		return fmt.Errorf("%w\ncorrect that and run `quire adopt` again, or leave out what cannot be imported with --skip-errors", err)
	}
	did.Imported = new(transferOf(report))
	did.imported = report
	return nil
}
