package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"quire/app/templates"
	"quire/store"
)

// starterNames are the starter sites by name.
var starterNames = []string{"guide", "blank", "code"}

func newNew() *cobra.Command {
	var template string
	c := &cobra.Command{
		Use:   "new [--template guide|blank|code] SITE",
		Short: "Write a starter site into a new folder",

		SuggestFor: []string{"init", "create"},

		Long: `New writes a starter site into a folder that is new or empty. The template "guide" is a
small restaurant guide that uses every feature. "blank" has no content types yet. "code" has
one content type with code of its own: a controller, a hook, a policy, and a test.`,
		Example: `  quire new my-site
  quire new --template blank my-site
  quire new --template code my-site`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := writeStarter(template, args[0]); err != nil {
				return err
			}
			return outputOf(c).report(map[string]string{"site": args[0], "template": template},
				line("The site is in %s. To serve it:\n\n  quire serve --watch %s", args[0], args[0]))
		},
	}
	c.Flags().StringVar(&template, "template", "guide", "starter site: guide, blank or code")
	c.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(starterNames, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// writeStarter copies a starter site into a folder, which must be empty or not exist.
func writeStarter(name, folder string) error {
	if !slices.Contains(starterNames, name) {
		return misused("there is no template %q; choose one of %s", name, strings.Join(starterNames, ", "))
	}
	entries, err := os.ReadDir(folder)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(entries) > 0:
		return fmt.Errorf("the folder %s is not empty; name one that is new or empty", folder)
	}
	files, err := fs.Sub(templates.Files, ""+name)
	if err != nil {
		return err
	}
	if err := store.MakeFolder(folder, 0o777); err != nil {
		return err
	}
	if err := os.CopyFS(folder, files); err != nil {
		return err
	}
	return store.SyncTree(folder)
}
