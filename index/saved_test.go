package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quire/index/language"
	"quire/schema"
	"quire/store"
)

// memoryFile is a file of indexes that counts what is read of it.
type memoryFile struct {
	*bytes.Reader
	read   atomic.Int64
	closed atomic.Bool
}

func (f *memoryFile) ReadAt(b []byte, at int64) (int, error) {
	if f.closed.Load() {
		return 0, fs.ErrClosed
	}
	n, err := f.Reader.ReadAt(b, at)
	f.read.Add(int64(n))
	return n, err
}

func (f *memoryFile) Close() error {
	f.closed.Store(true)
	return nil
}

// openSaved opens indexes that some test has saved.
func openSaved(file []byte, damaged func(error)) (*SavedIndexes, *memoryFile, error) {
	in := &memoryFile{Reader: bytes.NewReader(file)}
	saved, err := OpenSaved(in, int64(len(file)), "this", damaged)
	return saved, in, err
}

// save saves the indexes of a snapshot.
func save(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	var file bytes.Buffer
	_, err := s.Save(&file, "this", 0)
	check(t, err)
	return file.Bytes()
}

// someUses are indexes of each kind, in both versions.
func someUses(s *Snapshot) (uses []Use) {
	const restaurant = "api::restaurant.restaurant"
	hours := []string{"opening_hours", "day"}
	for _, draft := range []bool{true, false} {
		for _, u := range []Use{
			{Kind: "values", Path: []string{"name"}}, {Kind: "values", Path: []string{"stars"}}, {Kind: "values", Path: []string{"locale"}},
			{Kind: "values", Path: []string{"updatedAt"}}, {Kind: "values", Path: hours}, {Kind: "words", Path: []string{"name"}},
			{Kind: "words", Path: hours}, {Kind: "links", Path: []string{"chef"}}, {Kind: "terms", Path: []string{"name"}},
		} {
			u.Type, u.Draft, u.Count = restaurant, draft, 100
			uses = append(uses, u)
		}
	}
	return append(uses, Use{Type: "api::chef.chef", Kind: "values", Path: []string{"name"}, Count: 100})
}

func prepareSome(t testing.TB, s *Snapshot, together language.Together) {
	t.Helper()
	for _, u := range someUses(s) {
		if !s.Prepare(u, together) {
			t.Fatalf("%s is not prepared", u.name())
		}
	}
}

// writtenSome is content after random writes, also with rows that are free, and its indexes.
func writtenSome(t *testing.T) *writer {
	w := newWriter(t)
	w.batch(50)
	prepareSome(t, w.index.Snapshot(), nil)
	for range 5 {
		w.batch(40)
	}
	prepareSome(t, w.index.Snapshot(), nil)
	return w
}

// What one process saves another one reads. It is what the other one would build.
func TestSavedIndexesAreThoseBuilt(t *testing.T) {
	for range 5 {
		w := writtenSome(t)
		file := save(t, w.index.Snapshot())
		next := w.build(w.index.Snapshot().Site())
		saved, in, err := openSaved(file, func(err error) { t.Error(err) })
		check(t, err)
		if n, want := saved.Adopt(next), len(someUses(w.index.Snapshot())); n != want {
			t.Fatalf("%d of %d indexes fit", n, want)
		}
		in.read.Store(0)
		s := next.Snapshot()
		prepareSome(t, s, nil)
		sections := int64(0)
		for _, d := range saved.head.Sections {
			sections += d.Size
		}
		if in.read.Load() != sections {
			t.Errorf("%d of %d bytes are read", in.read.Load(), sections)
		}
		if d := diff(s, w.index.Snapshot()); d != "" {
			t.Fatal(d)
		}
		if !saved.Has(s, 0) {
			t.Error("those that were read do not count as saved")
		}
		if !bytes.Equal(save(t, s), save(t, s)) {
			t.Error("another file is saved the second time")
		}
		w.index = next // they are updated like others
		w.batch(60)
		if saved.Has(w.index.Snapshot(), 0) {
			t.Error("those after a write count as saved")
		}
		if d := diff(w.index.Snapshot(), w.build(s.Site()).Snapshot()); d != "" {
			t.Fatal(d)
		}
	}
}

// Large tables have postings in chunks, and large blocks of values and words.
func TestSavedIndexesOfALargeTable(t *testing.T) {
	w := newWriter(t)
	edit := w.index.Edit()
	var commit store.CommitID
	check(t, w.db.Update(func(tx *store.Tx) error {
		for i := range uint64(3 * chunkRows) {
			e := benchRestaurant(i, store.Draft)
			c := store.Change{Type: "api::restaurant.restaurant", After: e}
			if err := errors.Join(tx.Apply(c), edit.Apply(c)); err != nil {
				return err
			}
		}
		commit = tx.CommitID()
		return nil
	}))
	edit.Publish(commit)
	drafts := slices.DeleteFunc(someUses(w.index.Snapshot()), func(u Use) bool { return !u.Draft })
	for _, name := range []string{"slug", "story", "price_tier", "rating", "vegan"} {
		drafts = append(drafts, Use{Type: "api::restaurant.restaurant", Draft: true, Kind: "values", Path: []string{name}, Count: 9})
	}
	for _, kind := range []string{"words", "terms"} {
		drafts = append(drafts, Use{Type: "api::restaurant.restaurant", Draft: true, Kind: kind, Path: []string{"story"}, Count: 9})
	}
	for _, u := range drafts {
		w.index.Snapshot().Prepare(u, nil)
	}
	next := w.build(w.index.Snapshot().Site())
	saved, _, err := openSaved(save(t, w.index.Snapshot()), func(err error) { t.Error(err) })
	check(t, err)
	saved.Adopt(next)
	s := next.Snapshot()
	for _, u := range drafts {
		s.Prepare(u, nil)
	}
	if d := diff(s, w.index.Snapshot()); d != "" {
		t.Error(d)
	}
	tb := s.Table(s.Site().Type("api::restaurant.restaurant"), store.Draft)
	for key, one := range *tb.indexes.Load() {
		if built := s.rebuilt(tb, one.pathIndex); built.size() != one.size() {
			t.Errorf("%v counts %d bytes, and %d when it is built", key, one.size(), built.size())
		}
	}
}

// A file is used only for the content, the site and the program that it was made for.
func TestSavedIndexesOfSomethingElse(t *testing.T) {
	w := writtenSome(t)
	site := w.index.Snapshot().Site()
	file := save(t, w.index.Snapshot())
	fit := func(site *schema.Site) int {
		saved, _, err := openSaved(file, func(err error) { t.Error(err) })
		check(t, err)
		return saved.Adopt(w.build(site))
	}
	other := *site
	other.Fingerprint[0]++
	if n := fit(&other); n != 0 {
		t.Errorf("%d indexes fit another site", n)
	}
	for _, program := range []string{"that", ""} {
		if _, err := OpenSaved(&memoryFile{Reader: bytes.NewReader(file)}, int64(len(file)), program, nil); !errors.As(err, new(*SavedError)) {
			t.Errorf("%q: %v", program, err)
		}
	}
	all := fit(site)
	for w.index.Snapshot().Table(site.Type("api::chef.chef"), store.Published).LastChange() == w.build(site).Snapshot().Table(site.Type("api::chef.chef"), store.Published).LastChange() && fit(site) == all {
		w.batch(1)
	}
	if n := fit(site); n >= all {
		t.Errorf("%d of %d indexes fit after a write", n, all)
	}
	check(t, w.db.Reopen()) // begins another lineage
	w.batch(40)
	if n := fit(site); n != 0 {
		t.Errorf("%d indexes fit another lineage", n)
	}
}

// A change that no reader sees changes indexes: what is saved after it does not fit a backup
// from before.
func TestSavedIndexesAfterAnUnseenChange(t *testing.T) {
	w := newWriter(t)
	site := w.index.Snapshot().Site()
	link := func(place uint64) *store.Entry {
		e := benchRestaurant(1, store.Draft)
		e.Stamp.Version = 1
		chef := store.Edge{Target: "chef", Place: place}
		e.Fields = slices.Insert(e.Fields, 0, store.Field{Name: "chef", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{chef}}})
		return e
	}
	apply := func(before, after *store.Entry) {
		t.Helper()
		edit := w.index.Edit()
		c := store.Change{Type: "api::restaurant.restaurant", Before: before, After: after}
		var commit store.CommitID
		check(t, w.db.Update(func(tx *store.Tx) error {
			commit = tx.CommitID()
			return errors.Join(tx.Apply(c), edit.Apply(c))
		}))
		edit.Publish(commit)
	}
	apply(nil, link(1))
	earlier := w.build(site)
	apply(link(1), link(2))
	prepareSome(t, w.index.Snapshot(), nil)
	drafts := w.index.Snapshot().Table(site.Type("api::restaurant.restaurant"), store.Draft)
	if drafts.LastChange() != earlier.Snapshot().Table(drafts.Type, store.Draft).LastChange() {
		t.Fatal("readers see the change")
	}
	saved, _, err := openSaved(save(t, w.index.Snapshot()), func(err error) { t.Error(err) })
	check(t, err)
	if n := saved.Adopt(earlier); n != 0 {
		t.Errorf("%d indexes fit the content before", n)
	}
	if n := saved.Adopt(w.build(site)); n == 0 {
		t.Error("none fits the content after")
	}
}

// An index of terms with other words that are not divided is built.
func TestSavedTermsWithOtherWords(t *testing.T) {
	w := writtenSome(t)
	next := w.build(w.index.Snapshot().Site())
	saved, _, err := openSaved(save(t, w.index.Snapshot()), func(err error) { t.Error(err) })
	check(t, err)
	saved.Adopt(next)
	prepareSome(t, next.Snapshot(), language.Together{"küchen"})
	if d := diff(next.Snapshot(), next.Snapshot()); d != "" {
		t.Error(d)
	}
	if saved.Has(next.Snapshot(), 0) {
		t.Error("they count as saved")
	}
}

// Whatever is damaged, the indexes are those that are built, and the damage is reported.
func TestDamagedSavedIndexes(t *testing.T) {
	w := writtenSome(t)
	site, file := w.index.Snapshot().Site(), save(t, w.index.Snapshot())
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	head := len(file) - savedTrailer - int(binary.BigEndian.Uint32(file[len(file)-savedTrailer:]))
	type damage struct {
		name string
		do   func(file []byte) []byte
	}
	all := []damage{
		{"nothing left", func([]byte) []byte { return nil }},
		{"zeros", func(file []byte) []byte { clear(file[8:head]); return file }},
		{"twice", func(file []byte) []byte { return append(file, file...) }},
		{"a longer head", func(file []byte) []byte {
			binary.BigEndian.PutUint32(file[len(file)-savedTrailer:], 1<<32-1)
			return file
		}},
		{"a head that is not there", func(file []byte) []byte { return append(file[:head], file[len(file)-savedTrailer:]...) }},
	}
	flip := func(from, to int) func([]byte) []byte {
		at, bit := from+rng.IntN(to-from), byte(1)<<rng.IntN(8)
		return func(file []byte) []byte { file[at] ^= bit; return file }
	}
	for range 12 {
		all = append(all, damage{"a bit of a section", flip(len(savedMagic), head)}, damage{"a bit of the head", flip(head, len(file))})
		n := rng.IntN(len(file))
		all = append(all, damage{"cut", func(file []byte) []byte { return file[:n] }})
		at, size := rng.IntN(head), rng.IntN(200)
		all = append(all, damage{"a hole", func(file []byte) []byte { return append(file[:at], file[min(at+size+1, len(file)):]...) }})
	}
	for _, one := range all {
		reported := 0
		saved, _, err := openSaved(one.do(bytes.Clone(file)), func(error) { reported++ })
		if err != nil {
			continue
		}
		next := w.build(site)
		n := saved.Adopt(next)
		s := next.Snapshot()
		prepareSome(t, s, nil)
		if d := diff(s, s); d != "" {
			t.Fatalf("%s: %s", one.name, d)
		}
		if taken := s.memory.Taken(); taken != w.takenAnew(site) {
			t.Errorf("%s: %d bytes count as taken", one.name, taken)
		}
		switch {
		case one.name == "twice": // the last one is whole
		case reported == 0 && n == len(someUses(s)):
			t.Errorf("%s: nothing is reported", one.name)
		case saved.Has(s, 0):
			t.Errorf("%s: all count as saved", one.name)
		}
	}
}

// A key is not longer than one that is made, or a few bytes could stand for many long ones.
func TestSavedKeyThatIsTooLong(t *testing.T) {
	s := writtenSome(t).index.Snapshot()
	tb := s.Table(s.Site().Type("api::restaurant.restaurant"), store.Published)
	for _, longer := range []int{0, 1} {
		var section bytes.Buffer
		w := &sectionWriter{to: &section, s: s}
		w.posting(Posting{})
		w.number(1)
		w.number(0)
		w.text(strings.Repeat("k", longestKey+sha256.Size+longer))
		w.posting(Posting{one: 1})
		_, size, sum := w.end()
		d := &savedSection{Use: Use{Kind: "values", Path: []string{"name"}}, Size: size, Sum: sum}
		d.in = &SavedIndexes{file: &memoryFile{Reader: bytes.NewReader(section.Bytes())}}
		if _, err := s.readSaved(tb, d, &indexBuild{}); (err != nil) != (longer > 0) {
			t.Errorf("a key that is %d bytes too long: %v", longer, err)
		}
	}
}

// takenAnew is the memory of the indexes when they are built.
func (w *writer) takenAnew(site *schema.Site) int64 {
	s := w.build(site).Snapshot()
	prepareSome(w.t, s, nil)
	return s.memory.Taken()
}

// If there is no memory for an index in the file, there is none.
func TestSavedIndexesBeyondTheMemory(t *testing.T) {
	w := writtenSome(t)
	next := w.build(w.index.Snapshot().Site())
	saved, _, err := openSaved(save(t, w.index.Snapshot()), func(err error) { t.Error(err) })
	check(t, err)
	saved.Adopt(next)
	s := next.Snapshot()
	s.memory = NewMemory(1)
	for _, u := range someUses(s) {
		if s.Prepare(u, nil) {
			t.Errorf("%s is prepared", u.name())
		}
	}
	if taken := s.memory.Taken(); taken != 0 {
		t.Errorf("%d bytes are taken", taken)
	}
}

// When the file is closed, indexes are built.
func TestClosedSavedIndexes(t *testing.T) {
	w := writtenSome(t)
	next := w.build(w.index.Snapshot().Site())
	saved, _, err := openSaved(save(t, w.index.Snapshot()), func(err error) { t.Error(err) })
	check(t, err)
	saved.Adopt(next)
	check(t, saved.Close())
	prepareSome(t, next.Snapshot(), nil)
	if d := diff(next.Snapshot(), next.Snapshot()); d != "" {
		t.Error(d)
	}
}

// A disk that fails while indexes are saved is an error.
func TestSaveOnAFullDisk(t *testing.T) {
	w := writtenSome(t)
	size := len(save(t, w.index.Snapshot()))
	for _, space := range []int{0, 1, size / 2, size - 1} {
		if _, err := w.index.Snapshot().Save(&fullDisk{space}, "this", 0); !errors.Is(err, errFull) {
			t.Errorf("with space for %d bytes: %v", space, err)
		}
	}
}

var errFull = errors.New("full")

type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// FuzzSavedSections reads any bytes as a section of each kind, with the right checksum. What
// is read may be used, and written again.
func FuzzSavedSections(f *testing.F) {
	site, db := emptySite(f)
	w := &writer{db: db, entries: map[string]*store.Entry{}, rng: rand.New(rand.NewPCG(1, 3))}
	check(f, db.View(func(tx *store.Tx) (err error) { w.index, err = Build(site, tx); return }))
	w.writeSome(f)
	s := w.index.Snapshot()
	prepareSome(f, s, nil)
	file := save(f, s)
	saved, _, err := openSaved(file, func(error) {})
	check(f, err)
	for _, d := range saved.head.Sections {
		f.Add(d.Kind, file[d.From:d.From+d.Size])
	}
	restaurant := site.Type("api::restaurant.restaurant")
	tb := s.Table(restaurant, store.Draft)
	paths := map[string]string{"values": "name", "words": "name", "links": "chef", "terms": "name"}
	f.Fuzz(func(t *testing.T, kind string, section []byte) {
		if paths[kind] == "" {
			return
		}
		d := &savedSection{Use: Use{Kind: kind, Path: []string{paths[kind]}}, Size: int64(len(section)), Sum: crc32.Checksum(section, castagnoli)}
		d.in = &SavedIndexes{file: &memoryFile{Reader: bytes.NewReader(section)}}
		one, err := s.readSaved(tb, d, &indexBuild{})
		if err != nil {
			return
		}
		describeIndex(one)
		again := &sectionWriter{to: &bytes.Buffer{}, s: s}
		one.(savedKind).save(again)
		own := &edition{}
		changed := one.clone(own)
		changed.update(s, 0, tb.Entry(0), tb.Entry(1), tb.Size(), own)
	})
}

// writeSome writes the same drafts each time.
func (w *writer) writeSome(t testing.TB) {
	edit := w.index.Edit()
	var commit store.CommitID
	check(t, w.db.Update(func(tx *store.Tx) error {
		for i := range uint64(20) {
			c := store.Change{Type: "api::restaurant.restaurant", After: benchRestaurant(i, store.Draft)}
			chef := store.Edge{Target: "chef", Place: 1<<20 + i}
			c.After.Fields = slices.Insert(c.After.Fields, 0, store.Field{Name: "chef", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{chef}}})
			if err := errors.Join(tx.Apply(c), edit.Apply(c)); err != nil {
				return err
			}
		}
		commit = tx.CommitID()
		return nil
	}))
	edit.Publish(commit)
}

// BenchmarkSavedBesideBuilding reads the indexes of a guide that filters, sorts and searches
// need, and builds them, in turn: of-building is the share of the time. The file is that of
// -site, if there is one.
func BenchmarkSavedBesideBuilding(b *testing.B) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(b, err)
	db := benchSite(b)
	build := func() (x *Index) {
		check(b, db.View(func(tx *store.Tx) (err error) { x, err = Build(site, tx); return }))
		return x
	}
	first := build().Snapshot()
	uses := append(first.Searched(0), Use{Type: "api::chef.chef", Kind: "values", Path: []string{"name"}, Count: 9})
	const restaurant = "api::restaurant.restaurant"
	for _, name := range []string{"name", "price_tier", "stars", "rating", "vegan", "founded"} {
		uses = append(uses, Use{Type: restaurant, Kind: "values", Path: []string{name}, Count: 9})
	}
	for _, name := range []string{"chef", "categories"} {
		uses = append(uses, Use{Type: restaurant, Kind: "links", Path: []string{name}, Count: 9})
	}
	var took [2]time.Duration
	prepare := func(s *Snapshot, i int) {
		begun := time.Now()
		for _, u := range uses {
			s.Prepare(u, nil)
		}
		took[i] += time.Since(begun)
	}
	prepare(first, 0)
	file := save(b, first)
	took = [2]time.Duration{}
	for b.Loop() {
		prepare(build().Snapshot(), 0)
		saved, _, err := openSaved(file, func(err error) { b.Error(err) })
		check(b, err)
		x := build()
		saved.Adopt(x)
		prepare(x.Snapshot(), 1)
	}
	b.ReportMetric(float64(len(file)), "file-bytes")
	b.ReportMetric(took[0].Seconds()/float64(b.N), "s-building")
	b.ReportMetric(took[1].Seconds()/float64(b.N), "s-reading")
	b.ReportMetric(float64(took[1])/float64(took[0]), "of-building")
}
