package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"quire/inspect"
	"quire/media"
	"quire/media/bucket"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// FileMove is a move of the files of a site from the folder to the bucket, or back.
type FileMove struct {
	To     string // "folder", or the bucket as site.json has it
	Remove bool   // whether they are removed where they were

	move media.Move
}

// FilesMoved is what a move came to.
type FilesMoved struct {
	To, From string
	Copied   int
	There    int // that were there already
	Missing  int // in neither
	Removed  int
	InUse    bool // whether To takes what arrives, by site.json
}

// Measure says how far the move has come.
func (m *FileMove) Measure() Measured {
	files, bytes := m.move.Done()
	return Measured{Read: bytes, Entries: files}
}

// mostPasses bounds how often a move looks for what has arrived meanwhile.
const mostPasses = 5

// MoveFiles copies the files that records name, while the site may be served: until
// nothing has arrived where they were. This process does it; the running server notes it.
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

// choose finds the two storages in site.json: no other address is ever asked.
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

// copyFiles copies all files, and removes again what was deleted while it was copied. It
// returns the files that there are, with their media types.
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

// storedKinds are the names of the files that records name now, with their media types.
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

// mayRemove refuses to remove files that the running server would look for in vain.
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

// useLive is where the running server puts what arrives: "folder", or the bucket.
func (a *App) useLive() string {
	if a.files.IsLocal() {
		return "folder"
	}
	return a.files.Places().Use.String()
}

// noteMove has the audit log say what was moved.
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
