package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"go.etcd.io/bbolt"
)

// migration converts a file of one format to the next.
type migration struct {
	to   uint64 // the format of the result; it converts the format before
	does string // readable: "tokens are kept by the hash of their secret"
	run  func(*bbolt.Tx) error
}

// migrations are the steps from each former format to the next, in order. There has been
// one format so far.
func migrations() []migration { return nil }

// Migrated is the result of a migration.
type Migrated struct {
	From, To uint64   // formats; equal if there was nothing to do
	Steps    []string // what each step did
	Kept     string   // the path of the original file
}

// Migrate converts a file that nobody has open from an earlier format to FileFormat. It
// works on a copy, each step in its own transaction; the copy replaces the file when it is
// complete, and the original gets the name path.format-N. If the process dies meanwhile,
// the file stays, perhaps with an incomplete copy that the next Migrate overwrites.
//
// If path is a link, all of this happens at its target. Errors are those of Open, the
// context's, and *WriteError.
func Migrate(ctx context.Context, path string) (Migrated, error) {
	path, err := followLink(path)
	if err != nil {
		return Migrated{}, err
	}
	return migrator{path, FileFormat, migrations()}.run(ctx)
}

// migrator is Migrate for any format and steps.
type migrator struct {
	path    string
	current uint64
	steps   []migration
}

func (m migrator) run(ctx context.Context) (done Migrated, err error) {
	f, release, err := openToRead(m.path, 0) // and nobody writes to it until release
	if err != nil {
		return done, err
	}
	defer release()
	id, err := identifyFile(ctx, m.path, f)
	if err != nil {
		return done, err
	}
	done = Migrated{From: id.format, To: m.current}
	if id.format == 0 || id.format >= m.current {
		return done, id.judge(m.path, m.current)
	}
	steps, err := m.from(id.format)
	if err != nil {
		return done, err
	}
	work := m.path + ".migrate"
	if err := m.rework(ctx, f, work, steps); err != nil {
		_ = os.Remove(work) // it may not exist
		return done, err
	}
	for _, s := range steps {
		done.Steps = append(done.Steps, s.does)
	}
	done.Kept = fmt.Sprintf("%s.format-%d", m.path, done.From)
	return done, m.install(work, done.Kept)
}

// from returns the steps that a file of that format needs.
func (m migrator) from(format uint64) ([]migration, error) {
	i := slices.IndexFunc(m.steps, func(s migration) bool { return s.to == format+1 })
	if i < 0 {
		return nil, &FormatError{
			Path:    m.path,
			Problem: fmt.Sprintf("is in format %d, of which this program knows no way to format %d", format, m.current),
			Remedy:  "migrate it with a version of the program in between",
		}
	}
	return m.steps[i:], nil
}

// rework makes the migrated copy.
func (m migrator) rework(ctx context.Context, from io.Reader, work string, steps []migration) error {
	if err := copyTo(work, from); err != nil {
		return &WriteError{Path: work, Err: err}
	}
	lineage := newLineage()
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := guard(work, "", func() error { return s.apply(work, lineage) }); err != nil {
			return fmt.Errorf("store: %s stays as it is, since it cannot be brought to format %d: %w", m.path, s.to, err)
		}
	}
	f, err := os.Open(work)
	if err != nil {
		return accessError(work, err)
	}
	defer func() { _ = f.Close() }()
	id, err := identifyFile(ctx, work, f)
	if err != nil {
		return err
	}
	return id.judge(work, m.current)
}

// apply carries out a step, which is a commit like any other.
func (s migration) apply(path string, lineage uint64) error {
	bolt, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	err = bolt.Update(func(tx *bbolt.Tx) error {
		if err := s.run(tx); err != nil {
			return err
		}
		meta := tx.Bucket([]byte(metaBucket))
		revision, err := parseNumber(meta.Get([]byte(revisionKey)))
		return errors.Join(err,
			meta.Put([]byte(formatKey), storedNumber(s.to)),
			meta.Put([]byte(revisionKey), storedNumber(revision+1)),
			meta.Put([]byte(lineageKey), storedNumber(lineage)),
		)
	})
	return errors.Join(err, bolt.Close())
}

// install gives the file its second name and then the copy the first.
func (m migrator) install(work, kept string) error {
	if err := os.Link(m.path, kept); err != nil && !sameFile(m.path, kept) {
		return errors.Join(&WriteError{Path: kept, Err: err}, os.Remove(work))
	}
	return Replace(work, m.path)
}

// sameFile reports whether both names are those of one file: an interrupted Migrate gave
// the file its second name.
func sameFile(path, other string) bool {
	a, errA := os.Lstat(path)
	b, errB := os.Lstat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// copyTo writes a file that only its owner can access. It first removes what had the name,
// which may be a link, and nothing must be written through it.
func copyTo(path string, from io.Reader) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
