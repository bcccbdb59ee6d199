package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"quire/archive"
	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/server"
	"quire/store"
)

// place is where a site lives.
type place struct {
	site string        // the site folder
	data string        // the data folder; empty for "data" in the site folder
	wait time.Duration // for another process to let go of the data file; 0 to try once
}

func (p place) dataFolder() string {
	if p.data != "" {
		return p.data
	}
	return filepath.Join(p.site, "data")
}

func (p place) dataFile() string { return filepath.Join(p.dataFolder(), "quire.db") }

// load reads the site folder.
func (p place) load() (*schema.Site, error) {
	info, err := os.Stat(p.site)
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no site folder %s; `quire new %s` makes one", p.site, p.site)
	}
	return schema.Load(os.DirFS(p.site))
}

// app is a site with its rooms wired together. It is opened once and used by
// every command that needs the data.
type app struct {
	place
	log  *slog.Logger
	site *schema.Site
	db   *store.DB
	auth *auth.Auth

	passwords *auth.Passwords

	// Set by start, for commands that read or write content.
	index  *index.Index
	writer *content.Writer
	files  *media.Folder
	server *server.Server

	metrics    *server.Metrics
	monitoring monitoring
	address    string // where the server listens

	suspended chan struct{} // holds a token while the data file takes no writes

	changing  sync.Mutex                    // held while site, index or writer are exchanged for others
	importing atomic.Pointer[archive.Meter] // of the import under way
}

// openApp loads the site and takes hold of its data file, which it makes when
// there is none.
func openApp(p place, log *slog.Logger) (a *app, err error) {
	a = &app{place: p, log: log, passwords: auth.NewPasswords(), suspended: make(chan struct{}, 1)}
	if a.site, err = p.load(); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(p.dataFolder(), 0o700); err != nil {
		return nil, &folderError{p.dataFolder(), err}
	}
	if a.db, err = store.Open(p.dataFile(), store.Options{Timeout: p.wait}); err != nil {
		return nil, err
	}
	if a.auth, err = auth.Open(a.db, a.site, authOptions(log, a.passwords)); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", p.dataFile(), err), a.close())
	}
	return a, nil
}

// start brings the content into memory and makes the server.
func (a *app) start() error {
	if err := settle(a.db, func() (err error) { a.index, err = a.build(a.site); return }); err != nil {
		return err
	}
	a.metrics = server.NewMetrics(version())
	a.writer = a.newWriter()
	var err error
	if a.files, err = media.Open(a.filesFolder()); err != nil {
		return &folderError{a.filesFolder(), err}
	}
	if a.server, err = server.New(a.deps()); err != nil {
		return err
	}
	return a.ensureRoles()
}

func (a *app) build(site *schema.Site) (x *index.Index, err error) {
	err = a.db.View(func(tx *store.Tx) error {
		if x, err = index.Build(site, tx); err != nil {
			return err
		}
		return content.CheckSequences(site, tx, x.Snapshot())
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.dataFile(), err)
	}
	return x, nil
}

func (a *app) newWriter() *content.Writer {
	return content.NewWriter(a.db, a.index, a.site, content.WriterOptions{HashPassword: a.passwords.Hash, Observe: a.metrics.Batch, Reads: a.metrics.Reads})
}

func (a *app) deps() server.Deps {
	return server.Deps{
		Site: a.site, DB: a.db, Index: a.index, Writer: a.writer, Files: a.files, Auth: a.auth,
		Log: a.log, Metrics: a.metrics, Version: version(), Build: sources(),
		StopDelay: a.monitoring.stopDelay, Suspended: a.suspend, Operate: a.operate, LastBackup: a.lastBackup,
	}
}

// suspend has the data file reopened. It does not wait for that.
func (a *app) suspend() {
	select {
	case a.suspended <- struct{}{}:
	default:
	}
}

// reload serves the site folder as it is now. When it cannot be served, what was
// served before stays, and the error says what is wrong.
func (a *app) reload() error {
	site, err := a.load()
	if err != nil {
		return err
	}
	if problems := server.CheckSite(site); problems != nil {
		return errors.Join(problems...)
	}
	return a.replace(site)
}

// replace moves on to another version of the site.
func (a *app) replace(site *schema.Site) error {
	return a.renew(func() error { return a.use(site) })
}

// replaceAfter is replace with a change of what the data file holds, while nothing
// else is written. When that fails, the former version stays.
func (a *app) replaceAfter(site *schema.Site, change func() error) error {
	return a.renew(func() error {
		if err := change(); err != nil {
			return err
		}
		return a.follows(a.use(site))
	})
}

// renew calls read, which reads the content anew. The writer is closed first, so
// that nothing is written behind the back of the new index; writes that come in
// the meantime are asked to come back.
func (a *app) renew(read func() error) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	if err := a.writer.Close(); err != nil {
		return err
	}
	err := read()
	a.writer = a.newWriter()
	if err == nil {
		err = a.ensureRoles()
	}
	return errors.Join(err, a.server.Reload(a.deps()))
}

// use reads the content anew. If that fails, the former index stays.
func (a *app) use(site *schema.Site) error {
	x, err := a.build(site)
	if err == nil {
		err = a.auth.Use(site)
	}
	if err == nil {
		a.site, a.index = site, x
	}
	return err
}

// closeTimeout is how long what goes on in the background may take to end.
const closeTimeout = 10 * time.Second

// close ends what goes on in the background, then writing, and lets go of the
// data file.
func (a *app) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var err error
	if a.auth != nil {
		err = a.auth.Close(ctx)
	}
	if a.writer != nil {
		err = errors.Join(err, a.writer.Close())
	}
	return errors.Join(err, a.db.Close())
}
