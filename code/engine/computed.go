package engine

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// A file of a project may require others by names that it computes: what it finds in its folder, as
// a rule. A bundle has no files, so such a file is offered the modules of its folder and of those
// below it; js/module.js finds them when the file runs. esbuild does the same for names that
// begin with ./ as a text.

// computedRequire finds a require of a name that is no text, and createRequire.
var computedRequire = regexp.MustCompile("(^|[^.\\w$])require\\((\\s*(?:`\\$|[^'\"`\\s/)]))")

// maxOffered is how many modules a file can choose from.
const maxOffered = 1000

// offers reports whether the text of a file needs to be offered modules.
func (b *bundler) offers(path, text string) bool {
	return !b.inPackage(path) && within(b.root, path) && (computedRequire.MatchString(text) || strings.Contains(text, "createRequire("))
}

// withOffers returns the beginning of the first line of a file that is offered modules, and the text,
// in which require of a computed name is theirs.
func (b *bundler) withOffers(path, text string) (beginning, changed string, err error) {
	folder := filepath.Dir(path)
	var offered strings.Builder
	count := 0
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, at) // it is below
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "__tests__" || b.isAdmin(at)):
			return fs.SkipDir
		case d.Type().IsRegular() && at != path && isModule.MatchString(name) && !isNoModule.MatchString(name):
			if count++; count > maxOffered {
				return fmt.Errorf("a require of a computed name finds more than %d files in the folder", maxOffered)
			}
			fmt.Fprintf(&offered, "%q: () => require(%q), ", filepath.ToSlash(name), "./"+filepath.ToSlash(name))
		}
		return nil
	})
	beginning = fmt.Sprintf(`var __computed = require("module")[Symbol.for("quire.offer")](%q, { %s}); `, toPosix(folder), offered.String())
	return beginning, computedRequire.ReplaceAllString(text, "${1}__computed(${2}"), err
}

// isAdmin reports whether a folder has changes of Strapi's admin panel, which do not run here.
func (b *bundler) isAdmin(folder string) bool {
	return folder == filepath.Join(b.root, "src", "admin") || folder == filepath.Join(b.root, "src", "plugins")
}

var (
	isModule   = regexp.MustCompile(`\.(?:[cm]?[jt]s|[jt]sx|json)$`)
	isNoModule = regexp.MustCompile(`\.(?:test|spec|d)\.[cm]?[jt]sx?$`)
)
