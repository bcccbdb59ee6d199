package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"quire/content/arrange"
	"quire/content/bulk"
	"quire/content/review"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// survey is the result of a first reading of the whole archive: which entries it has and
// how they are linked. This must be known before entries are stored one by one.
type survey struct {
	*container
	site    *schema.Site
	options Options

	rows  *rowTable
	links *linkTable

	grants

	folder  *media.Folder
	files   map[string]*importedFile // content in the archive, by name
	named   map[string]string        // the documentIds of files by the names of their content
	roles   map[string]string        // types of roles by documentId
	newest  map[version]int64        // the latest updatedAt
	schemas map[string]archivedSchema

	arranged map[string]*arrange.Exported // how forms and lists are arranged, by the uid of their type

	strapi strapiStages
	staged map[string]*review.Workflow // by the uid of their type

	reviews []*archivedReview

	lacks    map[lack]int // what the site has no attribute or type for
	problems Problems
	report   *Report
}

// lack is something in the archive that the site's schemas do not have.
type lack struct{ what, why string }

// version is a document in one locale. All documents of a single type count as one.
type version struct{ uid, documentID, locale string }

func versionOf(t *schema.Type, k store.Key) version {
	if t.Kind == schema.Single {
		k.DocumentID = ""
	}
	return version{t.UID, k.DocumentID, k.Locale}
}

func newSurvey(c *container, site *schema.Site, folder *media.Folder, o Options) *survey {
	s := &survey{
		container: c, site: site, folder: folder, options: o, report: &Report{},
		rows: newRowTable(site), grants: newGrants(),
		files: map[string]*importedFile{}, named: map[string]string{}, roles: map[string]string{},
		newest: map[version]int64{}, schemas: map[string]archivedSchema{}, lacks: map[lack]int{}, arranged: map[string]*arrange.Exported{}, staged: map[string]*review.Workflow{}, strapi: newStrapiStages(),
	}
	s.links = &linkTable{rows: s.rows, links: map[*schema.Attribute][]link{}}
	return s
}

// run reads the archive. Errors become a *Problems at the end, or are left out if the
// options say so.
func (s *survey) run(ctx context.Context) error {
	complete := false
	err := s.each(ctx, func(m member) error {
		complete = complete || m.name == metadataFile
		return s.member(ctx, m)
	})
	if err != nil {
		return err
	}
	if !complete {
		return &FormatError{File: s.path, Problem: "is not an archive of Strapi: it has no " + metadataFile}
	}
	s.links.sort()
	s.stagesOfTypes()
	if err := s.compareSchemas(); err != nil {
		return err
	}
	return s.verdict()
}

// verdict returns the errors that were found.
func (s *survey) verdict() error {
	byName := func(a, b lack) int { return cmp.Compare(a.what, b.what) }
	for _, l := range slices.SortedFunc(maps.Keys(s.lacks), byName) {
		if s.options.SkipErrors {
			s.report.leave(l.what, s.lacks[l], l.why)
		} else if err := s.problems.add(fmt.Errorf("%s (%d in the archive): %s", l.what, s.lacks[l], l.why)); err != nil {
			return err
		}
	}
	clear(s.lacks)
	return s.problems.err()
}

const metadataFile = "metadata.json"

func (s *survey) member(ctx context.Context, m member) error {
	folder, _, _ := strings.Cut(m.name, "/")
	if !strings.HasSuffix(m.name, ".jsonl") {
		folder = ""
	}
	switch folder {
	case "schemas":
		return eachLine(ctx, m.name, m, parseSchema, s.takeSchema)
	case "entities":
		return eachLine(ctx, m.name, m, s.parseEntity, s.takeEntity)
	case "links":
		return eachLine(ctx, m.name, m, s.parseLink, s.takeLink)
	case "configuration":
		return eachLine(ctx, m.name, m, parseSetting, s.takeSetting)
	}
	name, isUpload := strings.CutPrefix(m.name, uploads)
	switch {
	case m.name == metadataFile:
		return checkMetadata(s.path, m)
	case isUpload && !strings.Contains(name, "/"):
		return s.takeFile(ctx, name, m)
	}
	return nil // Strapi's own notes about files, or additions of a newer version
}

// checkMetadata checks that the archive is of a version with a known form.
func checkMetadata(file string, m member) error {
	var metadata struct {
		Strapi struct {
			Version string `json:"version"`
		} `json:"strapi"`
	}
	text, err := io.ReadAll(io.LimitReader(m, 1<<20))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &metadata); err != nil {
		return &FormatError{file, "is not an archive of Strapi: its " + metadataFile + " cannot be read", err}
	}
	if v := metadata.Strapi.Version; !strings.HasPrefix(v, "5.") {
		return &FormatError{File: file, Problem: fmt.Sprintf("was made by Strapi %q; archives of Strapi 5 can be read, so upgrade there first", v)}
	}
	return nil
}

// refuse records what cannot be imported. An error of refuse ends the import.
func (s *survey) refuse(err error) error {
	if s.options.SkipErrors {
		s.report.Skipped = append(s.report.Skipped, err.Error())
		return nil
	}
	return s.problems.add(err)
}

// numbered is the result of a line, with its number.
type numbered[T any] struct {
	line int
	T    T
}

func (s *survey) parseEntity(line []byte, number int) numbered[*bulk.Archived] {
	e := bulk.DecodeArchived(s.site, line, nil)
	if e.Err == nil && (e.UID == schema.FileUID || e.UID == schema.RoleUID) {
		e = bulk.DecodeArchived(s.site, line, noLinks{})
	}
	if e.UID == permissionUID {
		var of struct {
			Data struct {
				Action string `json:"action"`
			} `json:"data"`
		}
		if err := json.Unmarshal(line, &of); err == nil {
			e.Entry.DocumentID = of.Data.Action // the only part that is needed
		}
	}
	if isStaging(e.UID) {
		e.Entry.DocumentID = dataOf(line)
	}
	return numbered[*bulk.Archived]{number, e}
}

// noLinks reads entries without their links.
type noLinks struct{}

func (noLinks) Edges(*schema.Attribute, uint64, store.Key) []store.Edge { return nil }

func (s *survey) takeEntity(n numbered[*bulk.Archived]) error {
	e := n.T
	switch {
	case e.UID == permissionUID:
		s.actions[e.Row] = e.Entry.DocumentID
		return nil
	case isStaging(e.UID) && e.Err == nil:
		s.strapi.take(e.UID, e.Row, e.Entry.DocumentID)
		return nil
	case e.Err != nil && e.Type == nil && e.UID == "":
		return s.refuse(&LineError{s.path, n.line, e.Err})
	case e.Err != nil:
		return s.refuse(fmt.Errorf("%s, row %d: %s", e.UID, e.Row, listValues(e.Err)))
	case e.Type == nil && isForeign(e.UID):
		s.report.leave(e.UID, 1, whyForeign(e.UID))
		return nil
	case e.Type == nil:
		s.lacks[lack{e.UID, "the site has no such content type"}]++
		return nil
	}
	if !s.rows.add(e.Type, e.Row, row{e.Entry.DocumentID, e.Entry.Locale, e.Entry.Status}) {
		return s.refuse(fmt.Errorf("%s, row %d occurs twice", e.UID, e.Row))
	}
	v := versionOf(e.Type, e.Entry.Key())
	if s.options.Existing == Merge {
		s.newest[v] = max(s.newest[v], e.Entry.UpdatedAt)
	}
	switch e.UID {
	case schema.FileUID:
		return s.takeNames(e)
	case schema.RoleUID:
		s.roles[e.Entry.DocumentID] = e.Entry.Value("type").Text
	}
	return nil
}

// takeNames records the names of the content of a file. They become names on disk.
func (s *survey) takeNames(e *bulk.Archived) error {
	at := storedFile(&e.Entry)
	for _, name := range at.AllNames() {
		if !media.SafeName(name) {
			delete(s.rows.byType[s.site.TypeOrdinal(e.Type)], e.Row)
			return s.refuse(fmt.Errorf("%s, row %d: its content cannot be called %q", e.UID, e.Row, name))
		}
	}
	for _, name := range at.AllNames() {
		s.named[name] = e.Entry.DocumentID
	}
	return nil
}

func (s *survey) parseLink(line []byte, number int) numbered[foundLink] {
	return numbered[foundLink]{number, parseLink(s.site, line)}
}

func (s *survey) takeLink(n numbered[foundLink]) error {
	f := n.T
	switch {
	case f.wrong != nil:
		return s.refuse(&LineError{s.path + ", links", n.line, f.wrong})
	case f.staging != nil:
		s.strapi.link(s.site, f.staging)
	case f.foreign != "":
		s.report.leave(f.foreign, 1, "there is no such type here")
	case f.lacks != lack{}:
		s.lacks[f.lacks]++
	case f.permission != 0 && f.role != 0:
		s.granted[f.role] = append(s.granted[f.role], f.permission)
	case f.attribute != nil:
		s.links.add(f)
	}
	return nil
}

// setting is one line of an archive's configuration.
type setting struct {
	Type  string `json:"type"`
	Value struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	} `json:"value"`
	err error
}

func parseSetting(line []byte, _ int) setting {
	var c setting
	c.err = json.Unmarshal(line, &c)
	return c
}

func (s *survey) takeSetting(c setting) error {
	if c.err != nil {
		return s.refuse(fmt.Errorf("%s, configuration: %w", s.path, c.err))
	}
	if taken, err := s.takeReview(c); taken {
		return err
	}
	switch {
	case c.Type == "webhook":
		s.report.leave("webhooks", 1, "they cannot be taken over")
	case s.takeArrangement(c), s.takeStages(c):
	default:
		s.report.leave("settings", 1, "Quire does not use those of the admin panel and of plugins; set what the site needs in site.json")
	}
	return nil
}

// takeStages takes over the stages of a type of the site, and reports whether the setting is
// such a one.
func (s *survey) takeStages(c setting) bool {
	uid, ok := strings.CutPrefix(c.Value.Key, review.SettingKey)
	t := s.site.Type(uid)
	if !ok || t == nil || t.BuiltIn {
		return false
	}
	w := new(review.Workflow)
	if json.Unmarshal(c.Value.Value, w) != nil || w.Check(t) != nil {
		s.report.leave("stages of types", 1, "they do not fit the type, or their form is not one that Quire writes")
		return true
	}
	s.staged[uid] = w
	return true
}

// takeArrangement takes over how the form and the list of a type of the site are arranged,
// and reports whether the setting is such a one. One that cannot be read is left out.
func (s *survey) takeArrangement(c setting) bool {
	uid, ok := arrange.TypeOfSetting(c.Value.Key)
	t := s.site.Type(uid)
	if !ok || t == nil || t.BuiltIn {
		return false
	}
	arranged, err := arrange.FromStrapi(t, c.Value.Value)
	switch {
	case err != nil:
		s.report.leave("arrangements", 1, "their form is not one that Strapi or Quire writes")
	case arranged != nil:
		s.arranged[uid] = arranged
	}
	return true
}
