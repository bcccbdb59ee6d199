package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"quire/content/arrange"
	"quire/content/bulk"
	"quire/content/history"
	"quire/content/review"
	"quire/content/verify"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// Target is the destination of an archive's content.
type Target struct {
	Site *schema.Site
	DB   *store.DB

	// Files is the folder of the files' content.
	Files *media.Folder
}

// ImportArchive imports a Strapi export: the file at path. key decrypts it, unless it is
// empty.
//
// It imports everything, or nothing if something does not fit the site: the error is then
// *Problems, or *FormatError for an archive that cannot be read. With Options.SkipErrors it
// leaves out what does not fit. An error after the content has been imported is a
// *store.UncertainError.
func ImportArchive(ctx context.Context, to Target, path, key string, o Options) (*Report, error) {
	if err := checkLocalization(to.DB, to.Site, o); err != nil {
		return nil, err
	}
	if o.Existing == Keep {
		if err := CheckEmpty(to.DB); err != nil {
			return nil, err
		}
	}
	c := &container{path, key, o.Meter}
	r := &restoration{survey: newSurvey(c, to.Site, to.Files, o), to: to, keep: map[version]bool{}, aliases: map[string]string{}}
	return r.report, r.run(ctx)
}

// ErrNotEmpty: the site has content, and Options do not say what to do with it.
var ErrNotEmpty = errors.New("the site already has content: --replace deletes it first, --merge keeps what is newer")

// checkLocalization checks that existing content is stored in the form of the current
// schemas, unless it is deleted first.
func checkLocalization(db *store.DB, site *schema.Site, o Options) error {
	if o.Existing == Replace {
		return nil
	}
	return db.View(func(tx *store.Tx) error { return verify.CheckLocalization(site, tx) })
}

// CheckEmpty returns ErrNotEmpty if there is content to mix with. Roles do not count: a site
// makes its own.
func CheckEmpty(db *store.DB) error {
	return db.View(func(tx *store.Tx) error {
		for _, uid := range tx.Types() {
			if uid != schema.RoleUID {
				return ErrNotEmpty
			}
		}
		return nil
	})
}

// restoration is one import of an archive.
type restoration struct {
	*survey
	to       Target
	restorer *bulk.Restorer

	put []string // names of files that this import has written

	// With Merge:
	keep    map[version]bool  // what the site has newer
	drop    []droppable       // entries that are newer in the archive
	aliases map[string]string // documentIds of existing roles, by those of the archive
	kept    int
}

// droppable is an entry of the site that is older than in the archive.
type droppable struct {
	t   *schema.Type
	key store.Key
}

func (r *restoration) run(ctx context.Context) (err error) {
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	r.options.Meter.expect(2 * info.Size()) // for the survey and for the import
	if err := r.survey.run(ctx); err != nil {
		return err
	}
	unused, err := namesIn(r.to.DB)
	if err != nil {
		return err
	}
	filled := false
	err = r.to.DB.Rework(func(db *store.DB) error {
		if err := r.fill(ctx, db); err != nil {
			return err
		}
		used, err := namesIn(db)
		maps.DeleteFunc(unused, func(name string, _ bool) bool { return used[name] })
		filled = err == nil
		return err
	})
	switch {
	case err != nil && filled: // the copy may have replaced the original: a superfluous file is better than a missing one
		return err
	case err != nil:
		return errors.Join(err, r.folder.Remove(context.WithoutCancel(ctx), r.put...))
	case r.options.Trial:
		return nil
	}
	err = r.folder.Remove(context.WithoutCancel(ctx), slices.Sorted(maps.Keys(unused))...)
	if err != nil { // the caller must read the content again
		return &store.UncertainError{Path: r.to.DB.Path(), Err: err}
	}
	return nil
}

// fill puts the archive's content into db.
func (r *restoration) fill(ctx context.Context, db *store.DB) error {
	if err := r.prepare(db); err != nil {
		return err
	}
	r.restorer = bulk.NewRestorer(db, r.site, r.options.Existing == Merge)
	defer r.restorer.Close()
	if err := r.each(ctx, func(m member) error { return r.member(ctx, m) }); err != nil {
		return err
	}
	for _, d := range r.drop {
		if err := r.restorer.Remove(d.t, d.key); err != nil {
			return err
		}
	}
	if err := r.restorer.Finish(); err != nil {
		return err
	}
	if err := db.Update(r.arrange); err != nil {
		return err
	}
	if err := r.placeReviews(db); err != nil {
		return err
	}
	if err := r.placeDocuments(db); err != nil {
		return err
	}
	if err := r.conclude(); err != nil {
		return err
	}
	return r.options.conclude(ctx, db)
}

// arrange stores how forms and lists are arranged, and the stages of types. With Merge, what the
// site has stays. What was said about documents that are gone goes with them.
func (r *restoration) arrange(tx *store.Tx) error {
	for uid, arranged := range r.arranged {
		if err := arrange.Import(tx, uid, arranged, r.options.Existing == Merge); err != nil {
			return err
		}
	}
	r.report.add("arrangements", len(r.arranged))
	for uid, w := range r.staged {
		there, err := review.WorkflowOf(tx, uid)
		if err == nil && (r.options.Existing != Merge || len(there.Stages) == 0) {
			err = review.SetWorkflow(tx, uid, w)
		}
		if err != nil {
			return err
		}
	}
	r.report.add("stages of types", len(r.staged))
	return review.Sweep(tx)
}

// prepare clears or compares existing content.
func (r *restoration) prepare(db *store.DB) error {
	if r.options.Existing == Merge {
		return db.View(r.compareVersions)
	}
	return db.Update(func(tx *store.Tx) error {
		for _, t := range r.site.Types {
			if err := tx.Clear(t.UID); err != nil {
				return err
			}
		}
		if err := review.Sweep(tx); err != nil {
			return err
		}
		return history.Clear(tx, func(uid string) bool { return r.site.Type(uid) != nil })
	})
}

// compareVersions finds, for every document and locale on both sides, which version is
// newer. Roles on both sides are the same if their types are.
func (r *restoration) compareVersions(tx *store.Tx) error {
	if err := tx.Scan(schema.RoleUID, r.alias); err != nil {
		return err
	}
	here := map[version]int64{}
	for _, t := range r.site.Types {
		if err := tx.Scan(t.UID, func(e *store.Entry) error {
			v := versionOf(t, e.Key())
			here[v] = max(here[v], e.UpdatedAt)
			return nil
		}); err != nil {
			return err
		}
	}
	for v, updated := range here {
		if there, both := r.newest[v]; both && updated >= there {
			r.keep[v] = true
		}
	}
	return r.findDroppable(tx)
}

func (r *restoration) findDroppable(tx *store.Tx) error {
	for _, t := range r.site.Types {
		if err := tx.Scan(t.UID, func(e *store.Entry) error {
			v := versionOf(t, e.Key())
			if _, both := r.newest[v]; both && !r.keep[v] {
				r.drop = append(r.drop, droppable{t, e.Key()})
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// alias gives a role of the archive the documentId of the existing role.
func (r *restoration) alias(e *store.Entry) error {
	for documentID, kind := range r.roles {
		if kind == "" || kind != e.Value("type").Text || documentID == e.DocumentID {
			continue
		}
		r.aliases[documentID] = e.DocumentID
		was, is := version{schema.RoleUID, documentID, ""}, version{schema.RoleUID, e.DocumentID, ""}
		r.newest[is] = r.newest[was]
		delete(r.newest, was)
	}
	rows := r.rows.byType[r.site.TypeOrdinal(r.site.Type(schema.RoleUID))]
	for id, one := range rows {
		if here, ok := r.aliases[one.documentID]; ok {
			rows[id] = row{documentID: here, status: store.Published}
		}
	}
	return nil
}

func (r *restoration) member(ctx context.Context, m member) error {
	if strings.HasPrefix(m.name, "entities/") && strings.HasSuffix(m.name, ".jsonl") {
		return eachLine(ctx, m.name, m, r.decode, r.take)
	}
	if name, ok := strings.CutPrefix(m.name, uploads); ok {
		return r.putFile(ctx, name, m)
	}
	return nil
}

// decode reads an entry with its links. Several are decoded at a time.
func (r *restoration) decode(line []byte, _ int) *bulk.Archived {
	e := bulk.DecodeArchived(r.site, line, r.links)
	if e.Err != nil || e.Type == nil {
		return e
	}
	switch e.UID {
	case schema.FileUID:
		forgetOriginal(&e.Entry)
		e.Err = r.relocate(&e.Entry)
	case schema.RoleUID:
		e.Err = r.grant(e)
	}
	return e
}

// grant sets the permissions of a role.
func (r *restoration) grant(e *bulk.Archived) error {
	if here, ok := r.aliases[e.Entry.DocumentID]; ok {
		e.Entry.DocumentID = here
	}
	names, err := json.Marshal(r.permissions(e.Row))
	if err != nil {
		return err
	}
	e.Entry.Fields = append(e.Entry.Fields, store.Field{Name: "permissions", Value: store.Value{Kind: store.JSON, Text: string(names)}})
	return nil
}

// take stores an entry.
func (r *restoration) take(e *bulk.Archived) error {
	switch {
	case e.Type == nil, !r.known(e):
		return nil // the survey has reported why
	case e.Err != nil:
		return r.refuse(fmt.Errorf("%s, row %d: %s", e.UID, e.Row, listValues(e.Err)))
	}
	for _, name := range e.Unknown {
		r.lacks[lack{e.UID + "." + name, noAttribute}]++
	}
	if r.keep[versionOf(e.Type, e.Entry.Key())] {
		r.kept++
		return nil
	}
	err := r.restorer.Put(e.Type, &e.Entry)
	if twice := new(bulk.TwiceError); errors.As(err, &twice) {
		if e.Locale != "" {
			err = fmt.Errorf("%w: row %d is its version in the locale %q, and the type is not localized in the site", err, e.Row, e.Locale)
		}
		return r.refuse(err)
	}
	if err != nil {
		return err
	}
	r.options.Meter.count(1)
	r.report.add(e.UID, 1)
	if e.UID == schema.RoleUID {
		r.report.add(permissionUID, len(r.permissions(e.Row)))
	}
	return nil
}

// known reports whether the survey has counted the entry.
func (r *restoration) known(e *bulk.Archived) bool {
	_, ok := r.rows.find(e.Type, e.Row)
	return ok
}

// conclude makes the checks that need the whole archive, and completes the report.
func (r *restoration) conclude() error {
	r.report.leave("entries", r.kept, "the site has the same or a newer version")
	r.report.leave("links", int(r.links.lost.Load()), "what they lead to is not in the archive")
	r.report.leave("links", int(r.links.foreign.Load()), "they lead to another locale")
	for name := range r.files {
		if r.named[name] == "" {
			r.report.leave("contents of files", 1, "no entry names them")
		}
	}
	for name := range r.named {
		if r.files[name] == nil {
			r.report.leave("contents of files", 1, "they are not in the archive")
		}
	}
	for _, kind := range r.roles {
		if _, inSite := r.site.Settings.Roles[kind]; inSite {
			r.report.leave("permissions of the role "+kind, 1, "site.json sets them")
		}
	}
	if r.options.Existing == Merge {
		if err := r.checkClashes(); err != nil {
			return err
		}
	}
	return r.verdict()
}

func (r *restoration) checkClashes() error {
	clashes, err := r.restorer.Clashes()
	if err != nil {
		return err
	}
	for _, clash := range clashes {
		if err := r.problems.add(clash); err != nil {
			return err
		}
	}
	return nil
}
