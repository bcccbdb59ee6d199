package schema

import (
	"crypto/sha256"
	"hash"
	"io/fs"
)

// Load reads a site folder:
//
//	src/api/<api>/content-types/<name>/schema.json   content types, api::<api>.<singularName>
//	src/components/<group>/<name>.json               components, <group>.<name>
//	src/extensions/users-permissions/content-types/user/schema.json
//	site.json                                        settings, optional
//
// Everything else in the folder is left alone. When anything in these files
// contradicts itself, the others or the rules, the error is *[Problems] with
// all of it, and there is no Site.
func Load(fsys fs.FS) (*Site, error) {
	l := newLoader(fsys)
	l.checkFolder()
	l.readSettings()
	l.readBuiltIn()
	l.readContentTypes()
	l.readComponents()
	l.site.order()

	l.checkNames()
	l.hideEverywhere()
	l.linkAll()
	l.checkCycles()
	l.readPermissions()
	l.readRegisterFields()
	l.readDefaults()
	l.readCache()
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	l.site.arrange()
	l.site.Fingerprint = [sha256.Size]byte(l.sum.Sum(nil))
	return l.site, nil
}

// loader carries a Load from file to file. Files are read first and name each
// other freely; linkAll then turns the names into pointers.
type loader struct {
	fsys     fs.FS
	problems *Problems
	site     *Site
	sum      hash.Hash // of every file read

	config object          // site.json; without members when there is none
	custom map[string]Kind // customFields of site.json

	declared map[*Attribute]*declaration

	account map[string]bool // names of the built-in attributes of users

	// broken holds the uids of files that could not be read. That is reported
	// once; what names them is not.
	broken map[string]bool
}

// declaration is what an attribute names in its file, before it is looked up.
type declaration struct {
	at         object
	target     string // uid of a relation's target
	inversedBy string
	mappedBy   string
	morphBy    string
	component  string
	zone       []word
}

func newLoader(fsys fs.FS) *loader {
	return &loader{
		fsys:     fsys,
		problems: &Problems{},
		sum:      sha256.New(),
		site: &Site{
			Settings:   defaultSettings(),
			byUID:      map[string]*Type{},
			byPlural:   map[string]*Type{},
			bySingular: map[string]*Type{},
		},
		custom:   map[string]Kind{},
		declared: map[*Attribute]*declaration{},
		account:  map[string]bool{},
		broken:   map[string]bool{},
	}
}
