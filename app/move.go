package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"quire/app/inspect"
	"quire/media"
	"quire/media/bucket"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// FileMove is a move of the files of a site from the folder to the bucket, or back.
type FileMove struct {
	To     string // "folder", or the bucket as site.json names it
	Remove bool   // whether to remove the files from where they were

	move media.Move
}

// FilesMoved is the result of a move.
type FilesMoved struct {
	To, From string
	Copied   int
	There    int // number of files that were there already
	Missing  int // number of files in neither place
	Removed  int
	InUse    bool // whether site.json stores new files in To
}

// Measure returns the progress of the move.
func (m *FileMove) Measure() Measured {
	files, bytes := m.move.Done()
	return Measured{Read: bytes, Entries: files}
}

// mostPasses is the maximum number of passes for files that arrived meanwhile.
const mostPasses = 5

// MoveFiles copies the files that records name, until no new ones have arrived. The site
// may be served. This process copies the files; the running server records the move.
func (l Location) MoveFiles(ctx context.Context, m *FileMove) (done FilesMoved, err error) {
	site, err := l.Load()
	if err != nil {
		return done, err
	}
	if m.move.Folder, err = media.Open(l.UploadsFolder()); err != nil {
		return done, &folderError{l.UploadsFolder(), err}
	}
	defer func() { err = errors.Join(err, m.move.Folder.Close()) }()
	if err := m.choose(&site.Settings.Upload.Storage); err != nil {
		return done, err
	}
	done.To, done.From = m.move.To.String(), m.move.From.String()
	done.InUse = site.Settings.Upload.Storage.InUse == (m.To != "folder")
	if m.Remove {
		if err := l.mayRemove(ctx, m, done.InUse); err != nil {
			return done, err
		}
	}
	kinds, err := l.copyFiles(ctx, m)
	if err != nil {
		return done, err
	}
	done.Copied, done.Missing = m.move.Copied()
	done.There = max(0, len(kinds)-done.Copied-done.Missing)
	if m.Remove {
		if done.Removed, err = m.move.Remove(ctx, slices.Collect(maps.Keys(kinds))); err != nil {
			return done, err
		}
	}
	return done, l.noteMove(ctx, done)
}

// choose finds the two storages in site.json. No other address is used.
func (m *FileMove) choose(s *settings.Storage) error {
	if s.Bucket == "" {
		return errors.New("site.json names no bucket in upload.storage; with \"use\": \"folder\" beside it, files stay in the folder until they are moved")
	}
	b, err := bucket.New(*s)
	switch {
	case err != nil:
		return err
	case m.To == "folder":
		m.move.From, m.move.To = b, m.move.Folder.Disk()
	case m.To == s.Bucket:
		m.move.From, m.move.To = m.move.Folder.Disk(), b
	default:
		return fmt.Errorf("--to is neither folder nor %s, which site.json names in upload.storage", s.Bucket)
	}
	return nil
}

// copyFiles copies all files, and removes the copies of files that were deleted meanwhile.
// It returns the existing files with their media types.
func (l Location) copyFiles(ctx context.Context, m *FileMove) (kinds map[string]string, err error) {
	seen := map[string]string{}
	for range mostPasses {
		if kinds, err = l.storedKinds(ctx); err != nil {
			return nil, err
		}
		fresh := maps.Clone(kinds)
		maps.DeleteFunc(fresh, func(name, _ string) bool { _, known := seen[name]; return known })
		if len(fresh) == 0 {
			break
		}
		if err := m.move.Copy(ctx, fresh); err != nil {
			return nil, err
		}
		maps.Copy(seen, fresh)
	}
	for name := range seen {
		if _, there := kinds[name]; !there {
			if err := m.move.To.Delete(ctx, name); err != nil {
				return nil, err
			}
		}
	}
	return kinds, nil
}

// storedKinds returns the names of the files that records name now, with their media types.
func (l Location) storedKinds(ctx context.Context) (kinds map[string]string, err error) {
	db, done, _, err := l.OpenData(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	kinds = map[string]string{}
	err = db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.FileUID, func(e *store.Entry) error {
			stored := inspect.StoredFile(e)
			for _, name := range stored.Names() {
				kinds[name] = stored.Mime
			}
			return nil
		})
	})
	return kinds, err
}

// mayRemove refuses to remove files that the running server would no longer find.
func (l Location) mayRemove(ctx context.Context, m *FileMove, inUse bool) error {
	to := m.move.To.String()
	if m.To == "folder" {
		to = "folder"
	}
	use, _, err := callAs(ctx, l, placesCommand, nil, func() (string, error) {
		if !inUse {
			return "", nil
		}
		return to, nil
	})
	if err == nil && (use != to || !inUse) {
		err = fmt.Errorf("%s does not take what arrives: set \"use\" of upload.storage in site.json, restart the server, and then remove", to)
	}
	return err
}

// useLive returns where the running server stores new files: "folder", or the bucket.
func (a *App) useLive() string {
	if a.files.IsLocal() {
		return "folder"
	}
	return a.files.Places().Use.String()
}

// noteMove records in the audit log what was moved.
func (l Location) noteMove(ctx context.Context, done FilesMoved) error {
	_, _, err := callAs(ctx, l, movedCommand, done, func() (none struct{}, err error) {
		db, err := store.Open(l.DataFile(), store.Options{Existing: true})
		if err != nil {
			return none, err
		}
		err = noteSite(byCommand(ctx, "media move"), db, "media.move", done.details())
		return none, errors.Join(err, db.Close())
	})
	return err
}

func (m *FilesMoved) details() map[string]string {
	return map[string]string{"to": m.To, "copied": strconv.Itoa(m.Copied), "removed": strconv.Itoa(m.Removed)}
}
