package command

import (
	"os"

	"github.com/spf13/cobra"

	"quire/app"
)

// The site folder is the last argument of every command that works on one, and the
// current folder where it is left out.

// siteArgument is the site that the arguments name after all others.
func siteArgument(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// filesAndSite splits FILE... [SITE]. A folder that comes first and a file that comes
// last are SITE FILE..., the order that these commands had before: a file to read or to
// write is never a folder.
func filesAndSite(args []string) (files []string, site string, err error) {
	first, last := args[0], args[len(args)-1]
	switch {
	case len(args) == 1 && kindAt(first) == aFolder:
		return nil, "", misused("%s is a folder; name the file before it", first)
	case len(args) == 1:
		return args, ".", nil
	case kindAt(first) == aFolder && kindAt(last) != aFolder:
		return args[1:], first, nil
	case last == "-", kindAt(last) == aFile:
		return args, ".", nil
	}
	return args[:len(args)-1], last, nil
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

// kind is what a path names.
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

func dataFlag(c *cobra.Command, at *app.Location) {
	c.Flags().StringVar(&at.Data, "data", "", "data `FOLDER`, holding quire.db (default SITE/data)")
	c.MarkFlagDirname("data")
}
