package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/content/audit"
	"quire/store"
)

// Restored is the result of a restore.
type Restored struct {
	*Manifest
	Kept string // the folder with the former data; empty if there was none
}

// Restore restores a backup into a data folder, and creates the folder if it is missing. If
// there already is a data file or an upload, the error is an *ExistsError; with replace,
// they are moved to a folder within the data folder.
//
// The restored data file continues from the later revision of the two, and has no records
// in the forgotten buckets, see store.Succeed. It has the audit log of both, and a line
// that names by as the actor of the restore.
//
// The backup is unpacked, verified and forced to the disk before anything changes. Then its
// uploads are added to the existing ones, the data file is replaced, and the former uploads
// are removed. If the process dies meanwhile, either data file has all of its uploads, and
// perhaps some superfluous ones: names of uploads are not used twice. It also leaves what
// Sweep removes.
//
// Errors: *FileError, *ExistsError, *LinkError, store.ErrInUse if another process has the
// data file, the context's and the file system's.
func Restore(ctx context.Context, path, folder string, replace bool, by *audit.Source, forgotten ...string) (Restored, error) {
	r := restore{path: path, folder: folder}
	r.fill = r.unpack
	return r.run(ctx, replace, by, forgotten)
}

// RestoreFrom does the same with what fill puts into a new folder within the data folder: the
// data file and, in the folder uploads, the files that the Manifest lists. name is that of
// their origin, for the audit log.
func RestoreFrom(ctx context.Context, name string, fill func(ctx context.Context, folder string) (*Manifest, error), folder string, replace bool, by *audit.Source, forgotten ...string) (Restored, error) {
	r := restore{path: name, folder: folder}
	r.fill = func(ctx context.Context) (*Manifest, error) { return fill(ctx, r.staged) }
	return r.run(ctx, replace, by, forgotten)
}

func (r *restore) run(ctx context.Context, replace bool, by *audit.Source, forgotten []string) (done Restored, err error) {
	was, release, err := r.admit(replace)
	if err != nil {
		return done, err
	}
	defer release()
	if err := store.MakeFolder(r.folder, 0o700); err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, r.discard()) }()
	if done.Manifest, err = r.stage(ctx); err != nil {
		return done, err
	}
	if err := r.succeed(done.Manifest, r.data(), by, forgotten); err != nil {
		return done, err
	}
	if len(was) > 0 {
		done.Kept = filepath.Join(r.folder, replaced+time.Now().UTC().Format(replacedTime))
		if err := r.copyAside(was, done.Kept); err != nil {
			return done, err
		}
	}
	if err := r.install(done.Manifest, len(was) > 0); err != nil {
		return done, err
	}
	return done, r.removeFormer(done.Manifest, was)
}

// Admit reports whether Restore would accept a data folder as it is now, for a caller who has
// yet to get the backup. Errors are those of Restore.
func Admit(folder string, replace bool) error {
	r := restore{folder: folder}
	_, release, err := r.admit(replace)
	if err == nil {
		release()
	}
	return err
}

// admit keeps others from opening the data file until release is called, and lists the files
// that are there.
func (r *restore) admit(replace bool) (was []string, release func(), err error) {
	if err := r.refuseLinks(); err != nil {
		return nil, nil, err
	}
	if release, err = store.LockFile(r.data()); err != nil {
		return nil, nil, err
	}
	was, err = r.former()
	if err == nil && len(was) > 0 && !replace {
		err = &ExistsError{was[0]}
	}
	if err != nil {
		release()
	}
	return was, release, err
}

// succeed has the restored data file go on from the former one, whose place it takes.
func (r *restore) succeed(m *Manifest, former string, by *audit.Source, forgotten []string) error {
	staged := filepath.Join(r.staged, dataName)
	if err := store.Succeed(staged, former, forgotten...); err != nil {
		return err
	}
	if err := audit.Carry(staged, former); err != nil {
		return err
	}
	details := map[string]string{"file": filepath.Base(r.path), "made": m.Made.Format(time.RFC3339)}
	return audit.NoteIn(staged, by, audit.Event{Action: "data.restore", Target: audit.Target{Type: "site"}, Details: details})
}

// restore is one restore.
type restore struct {
	path   string // of the backup
	folder string // of the data
	staged string // folder with the unpacked backup
	fill   func(context.Context) (*Manifest, error)
}

func (r *restore) data() string    { return filepath.Join(r.folder, dataName) }
func (r *restore) uploads() string { return filepath.Join(r.folder, "uploads") }

// refuseLinks refuses to replace a link by a file, and to remove something behind one.
func (r *restore) refuseLinks() error {
	for _, path := range []string{r.data(), r.uploads()} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{path}
		}
	}
	return nil
}

// former lists the existing files: the data file and the uploads.
func (r *restore) former() (paths []string, err error) {
	if _, err := os.Lstat(r.data()); err == nil {
		paths = append(paths, r.data())
	}
	entries, err := os.ReadDir(r.uploads())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			paths = append(paths, filepath.Join(r.uploads(), e.Name()))
		}
	}
	return paths, nil
}

// unpack unpacks the verified backup into the staging folder.
func (r *restore) unpack(ctx context.Context) (*Manifest, error) {
	uploads := filepath.Join(r.staged, "uploads")
	if err := os.Mkdir(uploads, 0o700); err != nil {
		return nil, err
	}
	m, err := readBackup(ctx, r.path, func(f File, content io.Reader) error {
		return writeSynced(filepath.Join(r.staged, filepath.FromSlash(f.Name)), content)
	})
	if err != nil {
		return nil, err
	}
	return m, checkData(ctx, r.path, filepath.Join(r.staged, dataName))
}

// copyAside links or copies the existing files into another folder.
func (r *restore) copyAside(was []string, kept string) (err error) {
	if err := os.Mkdir(kept, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(kept))
		}
	}()
	if err := os.Mkdir(filepath.Join(kept, "uploads"), 0o700); err != nil {
		return err
	}
	for _, path := range was {
		name, err := filepath.Rel(r.folder, path)
		if err != nil {
			return err
		}
		if err := linkOrCopy(path, filepath.Join(kept, name)); err != nil {
			return fmt.Errorf("keeping what is there: %w", err)
		}
	}
	return errors.Join(store.SyncFolder(filepath.Join(kept, "uploads")), store.SyncFolder(kept), store.SyncFolder(r.folder))
}

// install moves everything into its place. The restored content becomes that of the site in
// the moment when the data file gets its name.
func (r *restore) install(m *Manifest, replace bool) error {
	if err := os.Mkdir(r.uploads(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range m.Uploads() {
		if err := os.Rename(filepath.Join(r.staged, "uploads", name), filepath.Join(r.uploads(), name)); err != nil {
			return err
		}
	}
	if err := store.SyncFolder(r.uploads()); err != nil {
		return err
	}
	return giveName(filepath.Join(r.staged, dataName), r.data(), replace)
}

// removeFormer removes the former files that were not replaced.
func (r *restore) removeFormer(m *Manifest, was []string) error {
	comes := map[string]bool{r.data(): true}
	for _, name := range m.Uploads() {
		comes[filepath.Join(r.uploads(), name)] = true
	}
	var errs []error
	for _, path := range was {
		if comes[path] {
			continue
		}
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ExistsError is a file that would have to be replaced, which the caller did not allow.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string { return e.Path + " is there already" }

// LinkError is a link at a place where a restore replaces and removes files.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return e.Path + " is a link, and a restore replaces and removes nothing behind one; remove the link, restore, move what was restored there, and link it again"
}
