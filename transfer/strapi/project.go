package strapi

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Ignored is a file of a Strapi project that Quire does not run.
type Ignored struct {
	File    string `json:"file"`    // slash-separated, relative to the site folder
	Kind    string `json:"kind"`    // what files of its kind are called
	Did     string `json:"did"`     // what it did in Strapi
	Instead string `json:"instead"` // what to do in Quire

	// Why says what site.json does not have of a file whose rest it can have; empty
	// otherwise.
	Why string `json:"why,omitempty"`
}

// Limits of what is read of a project.
const (
	maxEntries  = 20_000   // files and folders
	maxDepth    = 20       // nested folders
	maxFile     = 64 << 10 // bytes of one file; generated ones are far smaller
	maxManifest = 1 << 20  // bytes of package.json
	maxText     = 16 << 20 // bytes of all files
)

// projectFolders are the folders of a Strapi project with files that Strapi runs or serves.
var projectFolders = []string{"src", "config", "database/migrations", "providers", "public"}

// strapiCode are paths that only Strapi projects have.
var strapiCode = regexp.MustCompile(`^src/(api/[^/]+/((routes|controllers|services|policies|middlewares)/|content-types/[^/]+/lifecycles\.)|extensions/[^/]+/strapi-server\.)`)

// Project is the result of reading the folder of a Strapi project.
type Project struct {
	Settings []Setting // of config that site.json can have; see Evaluate

	root    *os.Root // closed when the folder has been read
	entries int      // remaining number of entries
	text    int      // remaining bytes
	strapi  bool
	graphql bool // its plugin is installed
	found   []found

	graphqlNamed bool              // config names the plugin of GraphQL
	understood   map[string]bool   // files that have nothing beyond their settings
	why          map[string]string // what is left of a file
}

// found is a file that may be ignored, with the index of its kind.
type found struct {
	Ignored
	kind int
}

// Read reads a folder. It follows no links, and runs nothing. It returns nil if the folder
// is not a Strapi project.
func Read(site string) *Project {
	root, err := os.OpenRoot(site)
	if err != nil {
		return nil // loading the site reports it
	}
	defer root.Close()
	p := &Project{root: root, entries: maxEntries, text: maxText, understood: map[string]bool{}, why: map[string]string{}}
	p.manifest()
	for _, folder := range projectFolders {
		p.top(folder)
	}
	if !p.strapi {
		return nil
	}
	slices.SortFunc(p.found, func(a, b found) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		return strings.Compare(a.File, b.File)
	})
	return p
}

// unread records a path that was not read, and why.
func (p *Project) unread(name, why string) {
	p.found = append(p.found, found{Ignored{File: name, Kind: "not looked at", Did: why, Instead: "look at it yourself"}, len(kinds) + 1})
}

// top reads a folder that projects have, if this one has it.
func (p *Project) top(name string) {
	switch info, err := p.root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		p.unread(name, "it cannot be read: "+err.Error())
	case info.Mode()&fs.ModeSymlink != 0:
		p.unread(name, "it is a link, and links are not followed")
	case info.IsDir():
		p.folder(name, 1)
	}
}

func (p *Project) folder(name string, depth int) {
	if depth > maxDepth {
		p.unread(name, "it lies too deep")
		return
	}
	list, err := p.list(name)
	if err != nil {
		p.unread(name, "it cannot be read: "+err.Error())
	}
	for _, e := range list {
		below := path.Join(name, e.Name())
		switch {
		case p.entries == 0:
			p.unread(name, "the project has too many files; what comes after this one is missing here")
			p.entries--
			return
		case p.entries < 0:
			return
		default:
			p.entries--
			if !passedOver(below) {
				p.entry(below, e, depth)
			}
		}
	}
}

// list lists a folder, with one entry more than may be read.
func (p *Project) list(name string) ([]fs.DirEntry, error) {
	f, err := p.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(max(p.entries, 0) + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// passedOver reports paths without anything that Strapi runs: installed packages, build
// results, hidden files, uploads, which an import brings.
func passedOver(name string) bool {
	base := path.Base(name)
	return base == "node_modules" || base == "dist" || base == "build" || strings.HasPrefix(base, ".") || name == "public/uploads"
}

func (p *Project) entry(name string, e fs.DirEntry, depth int) {
	at := kindOf(name)
	switch {
	case e.IsDir():
		p.folder(name, depth+1)
	case at >= 0 && e.Type().IsRegular():
		p.file(name, at)
	case at >= 0:
		p.add(name, at)
	case e.Type()&fs.ModeSymlink != 0 && path.Ext(name) == "":
		p.unread(name, "it is a link, and links are not followed")
	}
}

// file adds a file of a kind, unless it is one that Strapi generated.
func (p *Project) file(name string, at int) {
	text, err := p.read(name, maxFile)
	if err != nil {
		p.strapi = p.strapi || strapiCode.MatchString(name)
		p.unread(name, "it cannot be read: "+err.Error())
		return
	}
	if text != "" && usesDocuments.MatchString(text) {
		at = documents
	}
	p.add(name, at)
	switch {
	case len(text) > maxFile:
	case changesNothing(name, text):
		p.found = p.found[:len(p.found)-1]
	case databaseFile.MatchString(name):
		p.understood[name] = isGeneratedDatabase(text)
	}
}

func (p *Project) add(name string, at int) {
	p.strapi = p.strapi || strapiCode.MatchString(name)
	k := kinds[at]
	p.found = append(p.found, found{Ignored{File: name, Kind: k.name, Did: k.did, Instead: k.instead}, at})
}

// errNoFile: a path leads to something else, for example a pipe or a device.
var errNoFile = errors.New("it is not a file")

// read reads a file up to one byte more than limit. A file beyond the limit of all files
// counts as too long.
func (p *Project) read(name string, limit int) (string, error) {
	if p.text <= 0 {
		return strings.Repeat(" ", limit+1), nil
	}
	switch info, err := p.root.Stat(name); {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errNoFile
	}
	f, err := p.root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	p.text -= len(text)
	return string(text), err
}

// manifest reads package.json: whether it is a Strapi project, and the plugins and
// providers that it installs.
func (p *Project) manifest() {
	const name = "package.json"
	if info, err := p.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	text, err := p.read(name, maxManifest)
	if err != nil {
		p.unread(name, "it cannot be read: "+err.Error())
		return
	}
	var in struct {
		Dependencies map[string]any `json:"dependencies"`
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		p.unread(name, "it is not JSON, or too long")
		return
	}
	_, p.strapi = in.Dependencies["@strapi/strapi"]
	_, p.graphql = in.Dependencies["@strapi/plugin-graphql"]
	if list := installed(in.Dependencies); len(list) > 0 {
		p.add(name, packages)
		p.found[len(p.found)-1].Did = "installed plugins and providers: " + strings.Join(list, ", ")
	}
}
