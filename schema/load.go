package schema

import (
	"crypto/sha256"
	"hash"
	"io/fs"

	"quire/schema/settings"
	"quire/schema/source"
)

// Load reads a site folder:
//
//	src/api/<api>/content-types/<name>/schema.json   content types, api::<api>.<singularName>
//	src/components/<group>/<name>.json               components, <group>.<name>
//	src/extensions/users-permissions/content-types/user/schema.json
//	site.json                                        settings, optional
//
// Load ignores everything else in the folder. If anything in these files contradicts
// itself, the others or the rules, the error is *[source.Problems] with all problems, and
// there is no Site.
func Load(fsys fs.FS) (*Site, error) {
	l := newLoader(fsys)
	l.checkFolder()
	l.readSettings()
	l.readBuiltIn()
	l.readContentTypes()
	l.readComponents()
	numberTypes(l.site.Types)
	numberTypes(l.site.Components)

	l.checkNames()
	l.hideOfSite()
	l.linkAll()
	l.checkCycles()
	l.readTypeSettings()
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	// Give the attributes of every type their slots. Relations and media that own edges come
	// first, so that following an edge does not have to skip texts; the others follow as
	// declared.
	for t := range l.site.allTypes() {
		t.assignSlots()
	}
	l.site.Fingerprint = [sha256.Size]byte(l.sum.Sum(nil))
	return l.site, nil
}

// loader is the state of one Load. It reads the files first, in any order. They name each
// other by uid; linkAll then turns the names into pointers.
type loader struct {
	fsys     fs.FS
	problems *source.Problems
	site     *Site
	sum      hash.Hash // of every file read

	config source.Object   // site.json; without members if there is none
	custom map[string]Kind // customFields of site.json

	declared map[*Attribute]*declaration

	accountNames map[string]bool // names of the built-in attributes of users

	// broken has the uids of files that could not be read. Each is reported once; files
	// that name one of these uids are not reported.
	broken map[string]bool
}

// declaration has the names in the definition of an attribute until linkAll resolves them.
type declaration struct {
	at         source.Object
	target     string // uid of a relation's target
	inversedBy string
	mappedBy   string
	morphBy    string
	component  string
	zone       []source.Word
}

func newLoader(fsys fs.FS) *loader {
	return &loader{
		fsys:     fsys,
		problems: &source.Problems{},
		sum:      sha256.New(),
		site: &Site{
			Settings:   settings.Default(),
			byUID:      map[string]*Type{},
			byPlural:   map[string]*Type{},
			bySingular: map[string]*Type{},
		},
		custom:       map[string]Kind{},
		declared:     map[*Attribute]*declaration{},
		accountNames: map[string]bool{},
		broken:       map[string]bool{},
	}
}
