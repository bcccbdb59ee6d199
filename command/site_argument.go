package command

import (
	"os"

	"github.com/spf13/cobra"

	"quire/app"
)

// The site folder is the last argument of every command that works on one. If it is
// missing, the current folder is the site.

// siteArgument returns the site folder that follows all other arguments.
func siteArgument(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// filesAndSite splits FILE... [SITE]. It also accepts SITE FILE..., the former order of
// these commands, if the first argument is a folder or does not exist, and the last one
// is a file.
func filesAndSite(args []string) (files []string, site string, err error) {
	first, last := args[0], args[len(args)-1]
	lastIsFile := last == "-" || kindAt(last) == aFile
	switch {
	case len(args) == 1 && kindAt(first) == aFolder:
		return nil, "", misused("%s is a folder; name the file before it", first)
	case len(args) > 1 && kindAt(first) == aFolder && kindAt(last) != aFolder,
		len(args) > 1 && lastIsFile && first != "-" && kindAt(first) == nothing:
		return args[1:], first, nil
	case len(args) == 1 || lastIsFile:
		return args, ".", requireSiteHere()
	}
	return args[:len(args)-1], last, nil
}

// requireSiteHere returns an error if the current folder is not a site. Otherwise
// content could be stored where nobody looks for it.
func requireSiteHere() error {
	if kindAt("src") != aFolder && kindAt("site.json") != aFile {
		return misused("the current folder is not a site folder: it has neither src nor site.json; name the site")
	}
	return nil
}

// fileAndSite splits FILE [SITE].
func fileAndSite(args []string) (file, site string, err error) {
	files, site, err := filesAndSite(args)
	switch {
	case err != nil:
		return "", "", err
	case len(files) > 1:
		return "", "", misused("%s is not a site folder; the arguments are FILE [SITE]", files[1])
	}
	return files[0], site, nil
}

// kind says what a path names.
type kind int

const (
	nothing kind = iota
	aFile
	aFolder
)

func kindAt(path string) kind {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nothing
	case info.IsDir():
		return aFolder
	}
	return aFile
}

// onSite completes a command that takes a number of arguments of its own and then [SITE]. run
// gets the arguments of its own, and where the site and its data are.
func onSite(own int, c *cobra.Command, run func(c *cobra.Command, at app.Location, args []string) error) *cobra.Command {
	var at app.Location
	if c.Args = cobra.RangeArgs(own, own+1); own == 0 {
		c.Args = cobra.MaximumNArgs(1)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		at.Site = siteArgument(args[own:])
		return run(c, at, args[:own])
	}
	dataFlag(c, &at)
	return c
}

func dataFlag(c *cobra.Command, at *app.Location) {
	c.Flags().StringVar(&at.Data, "data", "", "data `FOLDER`, holding quire.db (default SITE/data)")
	c.MarkFlagDirname("data")
}
