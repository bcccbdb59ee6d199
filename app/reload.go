package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"quire/content/migrate"
	"runtime/debug"

	"quire/index"
	"quire/schema"
	"quire/server"
	"quire/store"
)

// These functions change the state of a served site; the package comment shows the states.
// Each holds a.changing from beginning to end, so that only one runs at a time. Functions
// with Locked in their names are parts of them.

// reload serves the current site folder. If that fails, the former site stays. If the
// folder has to be corrected first, the error is a *siteError.
func (a *App) reload() error {
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServable()
	if err != nil {
		return err
	}
	places, err := a.placesFor(site)
	if err != nil {
		return &siteError{err}
	}
	if err := a.switchTo(site); err != nil {
		return err
	}
	a.files.SetPlaces(a.copied(places))
	return nil
}

// reloadCode serves the site with its code as it is now. If that fails, the former code stays,
// and the error is a *siteError.
func (a *App) reloadCode() error {
	a.folder.Lock()
	defer a.folder.Unlock()
	a.changing.Lock()
	defer a.changing.Unlock()
	if err := a.guarded(func() error { return a.server.Reload(a.deps()) }); err != nil {
		return &siteError{err}
	}
	return nil
}

// siteError reports why the current site folder cannot be served.
type siteError struct{ err error }

func (e *siteError) Error() string { return e.err.Error() }
func (e *siteError) Unwrap() error { return e.err }

// loadServable reads the site folder, which must be one that can be served. Otherwise the
// error is a *siteError.
func (a *App) loadServable() (*schema.Site, error) { return a.loadServableFrom(Location.files) }

// loadServableFrom does the same for a folder that is derived from the site folder.
func (a *App) loadServableFrom(folder func(Location) (fs.FS, error)) (site *schema.Site, err error) {
	err = a.guarded(func() error {
		if site, err = a.at.loadFrom(folder); err != nil {
			return err
		}
		return errors.Join(append(server.CheckSite(site), a.at.requireCode(site))...)
	})
	if err != nil {
		return nil, &siteError{err}
	}
	return site, nil
}

// switchTo serves another version of the site.
func (a *App) switchTo(site *schema.Site) error {
	return a.withoutWriter(func() error { return a.rebuildLocked(site) })
}

// switchAfter is switchTo with a change of the data file, while nothing else is written. If
// the change is refused with a *migrate.MigrationError, nothing has changed and the former
// site stays. If the change fails in the middle, updates are refused until the data file
// has been reopened. If the data belongs to the new site by then, the new site is served as
// soon as the data can be read.
func (a *App) switchAfter(site *schema.Site, change func() error) error {
	err := a.withoutWriter(func() error {
		err := a.guarded(change)
		if errors.As(err, new(*migrate.MigrationError)) {
			return err
		}
		if err == nil {
			a.owed, a.adapted = site, true
			err = a.rebuildLocked(site)
		}
		return a.suspendOn(err)
	})
	if a.db.Suspended() {
		a.requestReopen()
	}
	return err
}

// reopen reopens the data file and reads the content again. This is how the server recovers
// from a commit whose outcome is unknown. If it fails, updates stay refused, and reopen is
// retried after reopenInterval and whenever a write requests it.
func (a *App) reopen() {
	err := a.withoutWriter(func() error {
		if a.isPromoted() {
			return errPromoted // it is opened again as the leader
		}
		if err := a.db.Reopen(); err != nil {
			return err
		}
		return a.suspendOn(a.rebuildLocked(cmp.Or(a.owed, a.site)))
	})
	if err != nil {
		a.log.Error("cannot reopen the data file; nothing can be written", "error", err)
		return
	}
	a.log.Warn("the data file was reopened, and the content read again", "what", a.summary().String())
}

// withoutWriter closes the writer, calls step, which reads the content again, and resumes.
// So no write is missing from the new index. Meanwhile writes return 503.
func (a *App) withoutWriter(step func() error) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	if err := a.writer.Close(); err != nil {
		return err
	}
	former := a.site
	err := step()
	return errors.Join(err, a.resumeLocked(former))
}

// resumeLocked serves a.site and a.index. If the project's code does not start, the former site
// is served with the former code, and the error is a *siteError. If anything else fails, updates
// are refused until the data file is reopened, and the former site is served. The caller holds
// a.changing.
func (a *App) resumeLocked(former *schema.Site) error {
	err := a.guarded(a.serveLocked)
	if errors.As(err, new(*siteError)) && a.returnLocked(former) == nil {
		return err
	}
	if err != nil {
		a.site = former
	}
	return a.suspendOn(err)
}

// serveLocked opens a writer if the last one is closed, because two must never be open, and
// serves a.site. The caller holds a.changing.
func (a *App) serveLocked() error {
	if a.writer.Closed() {
		a.writer = a.newWriter()
	}
	a.makeRolesLocked()
	a.webhooks = a.newHooks()
	if err := a.server.Reload(a.deps()); err != nil {
		return err
	}
	a.nameSchemas()
	a.sender.Serve(a.webhooks)
	a.adapted = false
	return nil
}

// returnLocked serves the code that was served before, with the former site unless the data
// has been adapted to the new one. The caller holds a.changing.
func (a *App) returnLocked(former *schema.Site) error {
	if a.site != former && !a.adapted {
		if err := a.writer.Close(); err != nil {
			return err
		}
		if err := a.rebuildLocked(former); err != nil {
			return err
		}
	}
	a.keepsCode = true
	defer func() { a.keepsCode = false }()
	return a.guarded(a.serveLocked)
}

// makeRolesLocked creates the roles that the site needs, if possible; the site can be
// served without them. The caller holds a.changing.
func (a *App) makeRolesLocked() {
	if a.db.Suspended() {
		return
	}
	if err := a.ensureRoles(); err != nil {
		a.log.Error("cannot create roles that site.json names; retried when the site is read again", "error", err)
	}
}

// rebuildLocked makes a new index for the site. If that fails, the former site and index
// stay. The caller holds a.changing.
func (a *App) rebuildLocked(site *schema.Site) error {
	x, err := a.readLocked(site)
	if err == nil {
		a.site, a.index, a.owed = site, x, nil
	}
	return err
}

// readLocked reads the content and the data about callers from the data file again. The
// caller holds a.changing.
func (a *App) readLocked(site *schema.Site) (x *index.Index, err error) {
	err = a.guarded(func() error {
		if x, err = a.build(site); err != nil {
			return err
		}
		return errors.Join(a.auth.Reload(site), a.lexicon.Reload(), a.accountService.Reload(site), a.reloadAdmin(site))
	})
	if err == nil {
		// Make sure that the indexes of replaced content are built for the new content. The caller
		// holds a.changing.
		select {
		case a.usesBefore <- a.index.Snapshot().Uses():
		default: // the indexes of earlier content are still being built
		}
	}
	return x, err
}

// suspendOn makes the data file refuse updates if reading the content failed with err,
// because the content in memory may be older than the file. It returns err.
func (a *App) suspendOn(err error) error {
	if err != nil {
		a.db.Suspend(err)
	}
	return err
}

// requestReopen requests that the data file is reopened soon. It never blocks.
func (a *App) requestReopen() {
	select {
	case a.reopenRequests <- struct{}{}:
	default:
	}
}

// requestReopenOn requests that the data file is reopened if err means that it refuses
// updates. It returns err.
func (a *App) requestReopenOn(err error) error {
	if store.Suspends(err) {
		a.requestReopen()
	}
	return err
}

// guarded calls fn, which runs in the background, and turns its panic into an error, so
// that a defect there, or content that the disk has lost, does not end the server.
func (a *App) guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			a.log.Error("panic", "fault", fault, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return fn()
}
