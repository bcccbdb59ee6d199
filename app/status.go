package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"quire/content/release"
	"quire/schema"
	"quire/server"
	"quire/store"
	"quire/transfer/stream"
)

// SiteStatus is the state of a site, and of its server if one runs.
type SiteStatus struct {
	DataFile string                `json:"dataFile"`
	Address  string                `json:"address,omitempty"` // where the server listens, a URL
	Node     string                `json:"node,omitempty"`    // the name of this node; empty if the site has one server
	Server   *server.Status        `json:"server"`            // null if no server runs
	Content  server.ContentSummary `json:"content"`
	Uploads  FolderSize            `json:"uploads"`          // of this machine
	Bucket   string                `json:"bucket,omitempty"` // s3://BUCKET/PREFIX that stores the files, which are not counted; empty for none
	Backup   *BackedUp             `json:"backup"`           // the last successful one; null for none
	Stream   *stream.SenderStatus  `json:"stream"`           // of commits; null for none, and without a server
	Follows  *FollowStatus         `json:"follows"`          // null for a server that follows no other one, and without a server
	Releases release.Counts        `json:"releases"`         // with schedules
}

// FollowStatus is the state of a server that follows another one.
type FollowStatus struct {
	Leader  string  `json:"leader"` // its address
	Epoch   uint64  `json:"epoch,string"`
	Lag     float64 `json:"lag"`     // seconds since this server certainly had everything
	Problem string  `json:"problem"` // why the leader cannot be followed now; empty if it can
}

// followStatus returns the state of a server that follows another one; nil for others.
func (a *App) followStatus() *FollowStatus {
	if !a.follows() {
		return nil
	}
	journal := a.copy.journal
	s := &FollowStatus{Leader: journal.Leader().String(), Epoch: a.leading.epoch.Load(), Lag: a.lag().Seconds()}
	if _, err := journal.Known(); err != nil {
		s.Problem = err.Error()
	}
	return s
}

// FolderSize is the number and size of the files in a folder.
type FolderSize struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Status asks the running server or, if none runs, reads the data file.
func (l Location) Status(ctx context.Context) (s SiteStatus, err error) {
	s, _, err = callAs(ctx, l, statusCommand, nil, l.statusHere)
	return s, err
}

// statusHere reads the data file, which no server has open.
func (l Location) statusHere() (s SiteStatus, err error) {
	if err := l.requireData(); err != nil {
		return s, err
	}
	db, err := store.Open(l.DataFile(), store.Options{ReadOnly: true})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.DataFile = l.DataFile()
	if s.Content, err = contentOf(db); err != nil {
		return s, err
	}
	if err = s.addBackup(l, db); err != nil {
		return s, err
	}
	if s.Releases, err = countReleases(db); err != nil {
		return s, err
	}
	s.Bucket = l.bucketInUse()
	s.Uploads, err = sizeOf(l.UploadsFolder())
	return s, err
}

// bucketInUse returns the bucket that stores the files. It is empty if there is none, or if
// the site folder cannot be read.
func (l Location) bucketInUse() string {
	site, err := l.Load()
	if err != nil || !site.Settings.Upload.Storage.InUse {
		return ""
	}
	return site.Settings.Upload.Storage.Bucket
}

// isAside reports whether entries stored under a locale are kept aside, and not served.
func isAside(locale string) bool {
	_, aside := schema.AsideOf(locale)
	return aside
}

func contentOf(db *store.DB) (server.ContentSummary, error) {
	file, err := db.Statistics()
	if err != nil {
		return server.ContentSummary{}, err
	}
	h := server.NewContentSummary(file)
	err = db.View(func(tx *store.Tx) error {
		for _, uid := range tx.Types() {
			n, err := tx.Count(uid, isAside)
			if err != nil {
				return err
			}
			h.Add(server.TypeCount{Type: uid, Draft: n.Draft, Published: n.Published})
		}
		return nil
	})
	return h, err
}

// nodeName returns the name of this node; empty if the site has one server.
func (a *App) nodeName() string {
	if node, is, err := a.at.node(); err == nil && is {
		return node.Name
	}
	return ""
}

// statusLive is Status in the running server.
func (a *App) statusLive() (s SiteStatus, err error) {
	s.DataFile, s.Address, s.Node = a.at.DataFile(), a.address, a.nodeName()
	s.Stream, s.Follows = a.streaming.status(), a.followStatus()
	running, err := a.server.Status()
	if err != nil {
		return s, err
	}
	s.Server = &running
	if s.Content, err = a.server.ContentSummary(); err != nil {
		return s, err
	}
	if err = s.addBackup(a.at, a.db); err != nil && !a.db.Suspended() {
		return s, err
	}
	if s.Releases, err = countReleases(a.db); err != nil && !a.db.Suspended() {
		return s, err
	}
	s.Bucket = a.at.bucketInUse()
	s.Uploads, err = sizeOf(a.at.UploadsFolder())
	return s, err
}

func (s *SiteStatus) addBackup(l Location, db *store.DB) error {
	id, err := l.id()
	if err != nil {
		return err
	}
	last, err := lastBackup(db, id)
	if err == nil && !last.Made.IsZero() {
		s.Backup = &last
	}
	return err
}

func countReleases(db *store.DB) (n release.Counts, err error) {
	err = db.View(func(tx *store.Tx) (err error) {
		n, err = release.Count(tx)
		return err
	})
	return n, err
}

// sizeOf adds up the files in a folder, without subfolders. A folder that does not exist
// has none.
func sizeOf(folder string) (size FolderSize, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return size, nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // the file was removed meanwhile, or is not a regular file
		}
		size.Files++
		size.Bytes += info.Size()
	}
	return size, err
}
