package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/release"
	"quire/content/verify"
	"quire/index"
	"quire/index/indextest"
	"quire/media"
	"quire/query"
	"quire/schema"
	"quire/store"
	"quire/store/follow"
	"quire/store/storetest"
)

// all names all locales of an article.
const all = content.AllLocales

var locales = []string{"en", "fr", "it"}

const (
	articleUID  = "api::article.article"
	categoryUID = "api::category.category"
)

// writeSite writes the folder of the site.
func writeSite(folder string) {
	localized := `, "pluginOptions": {"i18n": {"localized": true}}`
	files := map[string]string{
		"site.json": `{"i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "en"}, {"code": "fr", "name": "fr"}, {"code": "it", "name": "it"}]},
			"rest": {"maxLimit": 1000}}`,
		"src/api/article/content-types/article/schema.json": `{"kind": "collectionType", "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
			"options": {"draftAndPublish": true}, "pluginOptions": {"i18n": {"localized": true}}, "attributes": {
			"title": {"type": "string", "required": true` + localized + `}, "rank": {"type": "integer"` + localized + `}, "code": {"type": "text"},
			"tags": {"type": "relation", "relation": "manyToMany", "target": "` + categoryUID + `", "inversedBy": "articles"` + localized + `}}}`,
		"src/api/category/content-types/category/schema.json": `{"kind": "collectionType", "info": {"singularName": "category", "pluralName": "categories", "displayName": "Category"},
			"options": {"draftAndPublish": false}, "attributes": {
			"name": {"type": "string", "required": true, "unique": true},
			"parent": {"type": "relation", "relation": "manyToOne", "target": "` + categoryUID + `", "inversedBy": "children"},
			"children": {"type": "relation", "relation": "oneToMany", "target": "` + categoryUID + `", "mappedBy": "parent"},
			"articles": {"type": "relation", "relation": "manyToMany", "target": "` + articleUID + `", "mappedBy": "tags"}}}`,
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		must(os.MkdirAll(filepath.Dir(path), 0o700))
		must(os.WriteFile(path, []byte(text), 0o600))
	}
}

// useSite takes over the site in the folder.
func (w *world) useSite() {
	site, err := schema.Load(os.DirFS(w.siteFolder()))
	must(err)
	if w.site != nil && shapeOf(site) == shapeOf(w.site) {
		return
	}
	w.limit(site)
	w.site, w.article, w.category = site, site.Type(articleUID), site.Type(categoryUID)
}

// limit makes a site keep few former versions, and long values outside of memory, in half of
// the histories.
func (w *world) limit(site *schema.Site) {
	site.Settings.History.Versions, site.Settings.History.Age = keptVersions, 100*365*24*time.Hour
	site.Settings.Events.Retention, site.Settings.Limits.Memory = time.Hour, []int64{0, 64 << 20}[w.seed%2]
}

func (w *world) siteFolder() string { return filepath.Join(w.folder, "site") }

// keptVersions are the former versions that the site keeps of each entry.
const keptVersions = 4

// failure is what is wrong, and which of the comparisons has found it.
type failure struct{ kind, text string }

// world is a site with its clock, and the model of it.
type world struct {
	seed   uint64
	number int // of the current step
	random *rand.Rand
	now    time.Time
	folder string

	site              *schema.Site
	article, category *schema.Type
	compilers         map[*schema.Site]*query.Compiler
	nodes             []*node
	leader            *node             // that the others follow; nil if nobody does
	epoch             uint64            // of the leader
	former            *source           // the last former leader, which some take for the leader; nil for none
	acked             []acked           // when which revision was the last one
	frozen            map[string][]byte // what the disk has when a node is started again; nil for what is there

	state  *state
	states map[uint64]*state // of the last revisions
	last   uint64            // revision

	versions map[versionName]*version // all that is known about former versions
	known    []versionName            // the latest of them
	backup   *backup
	made     int      // for names
	latest   []string // of what was done, for a failure
	trace    uint64
	counts   map[string]int
}

const mostKnown = 300

type versionName struct {
	key      store.Key
	revision uint64
}

// backup is a copy of the data file.
type backup struct {
	path  string
	state *state
	files map[string]string // texts, by name
}

// node is a data file with its writer.
type node struct {
	*world
	path     string
	db       *store.DB
	index    *index.Index
	writer   *content.Writer
	calendar *release.Calendar
	uploads  *media.Folder // nil if it has none
	library  *media.Library
	disk     *disk     // nil for a replica, whose journal has the commits
	copies   [2]reader // one that seldom reads, and one that often does
	journal  *link     // nil for a single node
	line     *line     // to the leader; nil for others than followers
	feed     *follow.Feed
	lost     bool      // the journal, or the leader, cannot be followed any more
	started  time.Time // of the process
	served   shape     // of the schemas with which the content was read
	lineage  uint64    // of what is shown
	seen     uint64    // revision that was shown
	stale    bool      // it shows what the leader has lost, until it loads an image
}

// isReplica reports whether others decide what is in the file.
func (n *node) isReplica() bool { return n.journal != nil || n.line != nil }

func newWorld(seed uint64, folder string, nodes int, follow bool) *world {
	w := &world{
		seed: seed, folder: folder, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), state: newState(),
		states: map[uint64]*state{}, versions: map[versionName]*version{}, counts: map[string]int{}, compilers: map[*schema.Site]*query.Compiler{},
	}
	writeSite(w.siteFolder())
	w.useSite()
	journal := storetest.NewMemory()
	for i := range nodes {
		n := &node{world: w, path: filepath.Join(folder, fmt.Sprint("quire", i, ".db"))}
		switch {
		case follow && i > 0:
			n.line = &line{follower: n}
		case nodes > 1 && !follow:
			n.journal = newLink(journal, n)
		default:
			n.disk = &disk{path: n.path, fired: w.counts}
		}
		if follow && i == 0 { // before anybody follows a site, it has accounts and tokens
			w.leader = n
			db, err := store.Open(n.path, store.Options{})
			must(err)
			must(db.Update(func(tx *store.Tx) error { return tx.PutRecord("simulation", "token", []byte("1")) }))
			must(db.Close())
		}
		w.nodes = append(w.nodes, n)
		n.open()
	}
	w.last = w.nodes[0].revision()
	w.states[w.last] = w.state
	return w
}

// clock is the one of the site. It does not stand still.
func (w *world) clock() time.Time {
	w.now = w.now.Add(time.Millisecond)
	return w.now
}

func (w *world) fail(format string, args ...any) {
	panic(failure{format, fmt.Sprintf(format, args...)})
}

// note adds to the trace, by which two runs are compared, and to what a failure prints.
func (w *world) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	h := fnv.New64a()
	fmt.Fprint(h, w.trace, text)
	w.trace = h.Sum64()
	if w.latest = append(w.latest, fmt.Sprint(w.number, " ", text)); len(w.latest) > 10 {
		w.latest = w.latest[1:]
	}
}

// open opens the file and serves what is in it.
func (n *node) open() {
	o := store.Options{LostTrack: func() { n.lost = true }}
	switch n.lost = false; {
	case n.journal != nil:
		o.Journal = n.journal
	case n.line != nil:
		o.Journal, o.Apart = n.follow()
	}
	var err error
	if n.db, err = store.Open(n.path, o); err != nil && n.line != nil { // the image did not arrive
		n.line.reset()
		n.db, err = store.Open(n.path, o)
	}
	if err != nil {
		n.fail("open: %v", err)
	}
	if !n.isReplica() {
		n.openSite()
		n.openUploads()
	}
	n.started = time.Now()
	n.serve()
}

// serve reads the content and begins to write.
func (n *node) serve() {
	n.index, n.served = n.build(), n.state.shape
	if l := n.db.Lineage(); l != n.lineage {
		n.lineage, n.stale = l, false
	}
	n.writer = content.NewWriter(n.db, n.index, n.site, content.WriterOptions{Now: n.clock})
	n.calendar = release.New(n.db, n.site, n.writer, n.clock)
	if n.uploads != nil {
		n.library = media.New(n.uploads, n.site, n.index, n.writer)
	}
	if n.disk != nil {
		n.disk.attach(n.db)
	}
	if n == n.leader {
		_, err := n.db.Tail(tailBytes)
		must(err)
	}
}

// build reads the content into an index.
func (n *node) build() (x *index.Index) {
	err := n.db.View(func(tx *store.Tx) (err error) { x, err = index.Build(n.site, tx); return err })
	if err != nil {
		n.fail("build: %v", err)
	}
	return x
}

func (n *node) revision() (revision uint64) {
	must(n.db.View(func(tx *store.Tx) error { revision = tx.Revision(); return nil }))
	return revision
}

// reached returns the revision that the node shows. The index of a replica may have an earlier
// one, after commits of others without content.
func (n *node) reached() uint64 {
	if n.isReplica() {
		return n.revision()
	}
	return n.index.Snapshot().Revision()
}

// reopen does what the server does after a commit with an unknown outcome.
func (n *node) reopen() {
	must(n.writer.Close())
	if n.disk != nil {
		n.disk.forget()
	}
	n.lost = false
	switch err := n.db.Reopen(); {
	case err == nil:
		n.serve()
	case n.line != nil && n.line.struck: // it shows what it has
		n.lost = true
	default:
		n.fail("reopen: %v", err)
	}
}

// restart kills the process. With the power, what was not synced is lost.
func (n *node) restart(power bool) {
	var left []byte
	if n.isReplica() {
		var err error
		left, err = os.ReadFile(n.path)
		must(err)
	}
	if n.journal != nil {
		n.journal.reset()
	}
	n.hangUp()
	must(n.writer.Close())
	must(n.db.Close())
	if n.uploads != nil {
		must(n.uploads.Close())
	}
	if n.isReplica() {
		must(os.WriteFile(n.path, left, 0o600)) // not closed in order
	}
	switch {
	case n.frozen != nil:
		n.thaw()
	case n.disk != nil && power:
		if n.disk.lied {
			n.tryTorn()
		}
		must(os.WriteFile(n.path, n.disk.left(), 0o600))
	}
	if n.disk != nil {
		n.disk.end, n.disk.full, n.disk.bolt = nil, 0, nil
	}
	lied := power && n.disk != nil && n.disk.lied
	n.open()
	n.sweep(lied)
}

// tryTorn opens what a disk leaves that lies and reorders: nobody knows what is in it, but it
// is opened and checked, or refused.
func (n *node) tryTorn() {
	path := filepath.Join(n.folder, "torn.db")
	must(os.WriteFile(path, n.disk.file.Cut(n.disk.chance), 0o600))
	db, err := store.Open(path, store.Options{})
	if err != nil {
		if !errors.As(err, new(*store.CorruptError)) && !errors.As(err, new(*store.FormatError)) {
			n.fail("a torn file: %v", err)
		}
		return
	}
	_, err = db.Check(context.Background())
	must(errors.Join(err, db.Close()))
}

// recover brings the node back to work after a fault, and finds out which of the states the
// site is in: states[i] is the one after i commits.
func (n *node) recover(states []*state, least int) {
	synctest.Wait() // what was acknowledged is on its way to followers
	lied := n.disk != nil && n.disk.end == errPower && n.disk.lied
	was := n.writer
	switch {
	case n.disk != nil && n.disk.end != nil:
		n.restart(n.disk.end == errPower)
	case n.db.Suspended() || n.lost:
		n.reopen()
		n.sweep(false)
	}
	n.fresh()
	revision := n.revision()
	for i, s := range states {
		n.states[n.last+uint64(i)] = s
	}
	switch {
	case revision > n.last+uint64(len(states)-1) || n.states[revision] == nil:
		n.fail("after the fault the file has revision %d, and it was %d", revision, n.last)
	case revision < n.last+uint64(least) && !lied:
		n.fail("an acknowledged write is lost: the file has revision %d, and it was %d", revision, n.last+uint64(least))
	case revision < n.last:
		n.goBack(revision)
	}
	n.state, n.last = n.states[revision], revision
	if n.writer != was { // the content was read again
		n.check()
	}
}

// goBack forgets what is known about revisions that are given out again: those after last.
func (w *world) goBack(last uint64) {
	clear(w.versions)
	w.known, w.acked = nil, nil
	for _, n := range w.nodes {
		n.copies, n.seen = [2]reader{}, 0
		n.stale = n.stale || n.line != nil && n.revision() > last
	}
	maps.DeleteFunc(w.states, func(revision uint64, _ *state) bool { return revision > last })
}

// fresh waits until a replica has what all nodes have written.
func (n *node) fresh() {
	if n.journal == nil {
		return
	}
	n.journal.reset()
	if err := n.db.Fresh(context.Background()); err != nil || n.lost {
		n.reopen()
	}
}

// expected reports whether an error may come from a fault.
func expected(err error) bool {
	var journal *store.JournalError
	return store.Uncertain(err) || store.Suspends(err) || errors.Is(err, store.ErrFull) || errors.As(err, &journal) || errors.As(err, new(*store.SuspendedError)) || errors.As(err, new(*store.UndecidedError)) || errors.As(err, new(*store.RefusedError)) || errors.As(err, new(*store.StorageError))
}

// refuses reports whether an error is about the content of a write.
func refuses(err error) bool {
	return errors.As(err, new(*body.ValidationError)) || errors.As(err, new(*content.NotFoundError)) || errors.As(err, new(*content.ApplicationError))
}

// commit does what makes one commit. model makes the state after it, nil if it has to be
// refused. A node that is behind the others may refuse a write, or find nothing to write,
// because of what it shows.
func (n *node) commit(what string, model func(*state) *state, do func() error) (done bool) {
	n.note("%s", what)
	shown := n.states[n.reached()]
	err := do()
	planned := model(n.state) // another node may have been first
	n.note("%s", kindOf(err))
	switch {
	case err == nil && n.reached() <= n.last && shown != n.state && alike(model(shown), shown):
		n.count("nothing to write")
	case err == nil && planned == nil:
		n.fail("%s was not refused", what)
	case err == nil:
		n.count("written")
		n.advance(planned)
		return true
	case refuses(err):
		n.count("refused")
		if planned != nil && model(shown) != nil {
			n.fail("%s: %v", what, err)
		}
	case !expected(err):
		n.fail("%s: %v", what, err)
	default:
		n.count("failed")
		if n.journal == nil {
			n.compare(n.index.Snapshot(), n.state) // nothing shows what was not acknowledged
		}
		states := []*state{n.state}
		if planned != nil && store.Uncertain(err) {
			states = append(states, planned)
		}
		n.recover(states, 0)
	}
	return false
}

// alike reports whether two states have the same content and records.
func alike(a, b *state) bool {
	return a != nil && b != nil && a.text() == b.text() && a.records() == b.records()
}

func (w *world) count(what string) { w.counts[what]++ }

// advance takes over the state after a commit that was acknowledged.
func (n *node) advance(s *state) {
	revision := n.reached()
	switch {
	case revision != n.last && revision != n.last+1:
		n.fail("the revision is %d after %d", revision, n.last)
	case revision == n.last && !alike(s, n.state):
		n.fail("there was no commit")
	}
	n.last, n.state = revision, s
	n.states[revision] = s
	if n.leader == nil {
		delete(n.states, revision-200)
	}
}

// kindOf names an error without what differs from run to run.
func kindOf(err error) string {
	for err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
			continue
		}
		return fmt.Sprintf("%T", err)
	}
	return "done"
}

// check compares everything that a node has with the model: the file, the index, an index
// that is built anew, and what writes guarantee.
func (n *node) check() {
	n.count("checked")
	snapshot := n.index.Snapshot()
	n.compare(snapshot, n.state)
	n.checkUploads()
	must(n.db.View(func(tx *store.Tx) error {
		is, records := n.stored(tx)
		if a, b := is.text(), n.state.text(); a != b {
			n.fail("the file holds\n%s\nand should hold\n%s", a, b)
		}
		if a, b := records, n.state.records(); a != b {
			n.fail("the file has\n%s\nand should have\n%s", a, b)
		}
		faults, err := verify.Check(context.Background(), n.site, tx)
		for _, f := range faults {
			if !f.Note {
				n.fail("%s: %s", f.Place, f.Message)
			}
		}
		return err
	}))
	if n.random.IntN(4) == 0 {
		if d := indextest.Diff(snapshot, n.build().Snapshot()); d != "" {
			n.fail("the index and one that is built from the file differ: %s", d)
		}
	}
}

// stored reads the content of the file as a state, and the rest of it as its text.
func (n *node) stored(tx *store.Tx) (is *state, records string) {
	is = newState()
	for _, uid := range []string{articleUID, categoryUID, schema.FileUID} {
		must(tx.Scan(uid, func(e *store.Entry) error {
			if is.put(uid, e); uid == articleUID {
				n.learn(e)
			}
			return nil
		}))
	}
	var lines []string
	parcels, err := tx.Parcels(parcelKind)
	must(err)
	for _, p := range parcels {
		lines = append(lines, "parcel "+p.Key)
	}
	must(tx.Records(release.Moments, func(key string, _ []byte) error {
		lines = append(lines, "due "+key[:len(momentForm)]+" "+strings.Split(key, "/")[2])
		return nil
	}))
	slices.Sort(lines)
	return is, strings.Join(lines, "\n")
}

// learn notes what a version of an article is, to compare former versions with it.
func (w *world) learn(e *store.Entry) {
	name, v := versionName{e.Key(), e.Stamp.Version}, versionOf(e)
	if was := w.versions[name]; was != nil && !reflect.DeepEqual(was, v) {
		w.fail("%v was %+v, and is %+v", name, was, v)
	}
	if w.versions[name] == nil {
		w.known = append(w.known, name)
		w.known = w.known[max(0, len(w.known)-mostKnown):]
	}
	w.versions[name] = v
}

func versionOf(e *store.Entry) *version {
	v := &version{title: e.Value("title").Text, code: e.Value("code").Text}
	for _, name := range []string{"rank", "score"} {
		if value := e.Value(name); !value.IsEmpty() {
			v.rank, v.stored.rank = int(value.Num), name
		}
	}
	switch note := e.Value("note"); note.Kind {
	case store.Int:
		v.note, v.stored.note = fmt.Sprint(note.Num), "integer"
	case store.Text:
		v.note, v.stored.note = note.Text, "string"
	}
	for _, edge := range e.Value("tags").Edges {
		v.tags = append(v.tags, edge.Target)
	}
	return v
}

// put adds an entry to a state.
func (s *state) put(uid string, e *store.Entry) {
	switch uid {
	case schema.FileUID:
		s.files[e.DocumentID] = e.Value("caption").Text
		return
	case articleUID:
		a := s.change(e.DocumentID)
		versions := a.draft
		if e.Status == store.Published {
			versions = a.live
		}
		versions[e.Locale] = versionOf(e)
		return
	}
	c := &category{name: e.Value("name").Text}
	for _, edge := range e.Value("parent").Edges {
		c.parent = edge.Target
	}
	s.categories[e.DocumentID] = c
}
