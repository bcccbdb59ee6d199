package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"quire/app/gitignore"
	"quire/app/listen"
	"quire/content/audit"
	"quire/server"
	"quire/store"
	"quire/transfer/backup"
	"quire/transfer/pull"
)

// Serving controls where and how a site is served.
type Serving struct {
	listen.Options
	Watch bool // whether to reload the site when its files change
}

// Served says what is served, and where.
type Served struct {
	URL      string // of the site, without a path
	Redirect string // address that redirects to URL, HOST:PORT; empty for none
	Metrics  string // separate address of metrics, HOST:PORT; empty for none
	Setup    string // link that creates the first account of the admin; empty if there is one
	Summary  Summary
}

// Serve opens the addresses, calls ready when they are open, and answers requests until ctx
// is done. If an address cannot be opened, the error is a *listen.AddressError.
func (a *App) Serve(ctx context.Context, how Serving, ready func(Served)) error {
	on, err := listen.Open(how.Options, a.at.folder().Certificates(), a.log)
	if err != nil {
		return err
	}
	if err := errors.Join(backup.Sweep(a.at.DataFolder(), time.Now()), pull.Sweep(a.at.DataFolder(), time.Now().Add(-keptDownload))); err != nil {
		a.log.Warn("cannot remove files left by an earlier server", "error", err)
	}
	a.warnOfExposed()
	a.warnOfCommitted()
	defer audit.Follow(a.db, a.log)()
	a.noteSettings()
	a.openStream()
	commands := a.listenControl()
	a.address = on.URL()
	a.develops.Store(how.Watch || a.demo)
	a.sender.Serve(a.webhooks)
	if len(a.formerUses()) > 0 {
		a.server.Prepare()
	}
	ready(a.served(on))
	ctx, end := a.untilReplaced(ctx)
	defer end()
	err = a.serveAndMaintain(ctx, on, commands, how)
	if cause := context.Cause(ctx); errors.Is(cause, errPromoted) || errors.As(cause, new(*FencedError)) {
		err = errors.Join(err, cause)
	}
	return err
}

func (a *App) served(on *listen.Listeners) Served {
	s := Served{URL: on.URL(), Setup: a.setupLink(on.URL()), Summary: a.summary()}
	if on.Redirect != nil {
		s.Redirect = on.Redirect.Addr().String()
	}
	if on.Metrics != nil {
		s.Metrics = on.Metrics.Addr().String()
	}
	return s
}

// serveAndMaintain answers requests until ctx is done, and runs the background work until
// the last request has ended. Both have ended when it returns.
func (a *App) serveAndMaintain(ctx context.Context, on *listen.Listeners, commands net.Listener, how Serving) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var others sync.WaitGroup
	others.Go(func() { a.maintain(beside, how.Watch) })
	others.Go(func() { a.keepIndexes(beside) })
	others.Go(func() { a.watchForAdmin(beside) })
	others.Go(func() {
		a.inSteps(beside, sweepInterval, "files that have no record could not be removed from the bucket", func(ctx context.Context, now time.Time) (more bool, err error) {
			return false, a.sweepFiles(ctx, now)
		})
	})
	others.Go(func() { a.runStream(beside) })
	others.Go(func() { a.mailAboutStream(beside) })
	if !a.writesNothing() {
		others.Go(func() { a.storeMissed(beside) })
		others.Go(func() { a.onDuty(beside, a.untilFenced(a.doDuties)) })
	}
	others.Go(func() { a.watchLeader(beside) })
	others.Go(func() { a.fetchFiles(beside) })
	others.Go(func() { a.fenceFormer(beside) })
	others.Go(func() { a.keepFormerEnded(beside) })
	others.Go(func() { a.keepJoining(beside) })
	others.Go(func() { a.serveNodes(beside) })
	if commands != nil {
		others.Go(func() { a.serveControl(beside, commands) })
	}
	if on.Metrics != nil {
		others.Go(func() {
			if err := a.server.ServeMetrics(beside, on.Metrics); err != nil {
				a.log.Error("metrics cannot be reached any more", "error", err)
			}
		})
	}
	if on.Redirect != nil {
		// The handler is made before Fetch starts, because only Fetch enables it.
		handler := on.Certificates.HTTPHandler(server.Redirect(on.Certificates.Covers, on.Port()))
		others.Go(func() {
			if err := a.server.ServePlain(beside, on.Redirect, handler); err != nil {
				a.log.Error("the redirect to TLS has stopped", "error", err)
			}
		})
	}
	if on.Certificates != nil {
		others.Go(func() { on.Certificates.Fetch(beside, a.log) })
	}
	defer others.Wait()
	defer stop()
	a.notify(listen.Ready)
	alive, ended := context.WithCancel(ctx)
	defer ended()
	others.Go(func() {
		<-alive.Done()
		a.notify(listen.Stopping)
	})
	if on.Certificates != nil {
		return a.server.ServeTLS(ctx, on.Site, on.Certificates.Config)
	}
	return a.server.Serve(ctx, on.Site)
}

// doDuties does until ctx is done the work that only one node does for the site.
func (a *App) doDuties(ctx context.Context) {
	var duties sync.WaitGroup
	defer duties.Wait()
	for _, do := range []func(context.Context){
		a.runSchedule, a.runReleases, a.prune, a.trim, a.trimAudit, a.trimMissed, a.accountService.Deliver, a.sender.Run, a.runCron, a.runFileEvents,
	} {
		duties.Go(func() { do(ctx) })
	}
}

// trimAudit removes expired lines of the audit log.
func (a *App) trimAudit(ctx context.Context) {
	a.inSteps(ctx, trimInterval, "the audit log could not be trimmed", a.trimAuditStep)
}

// warnOfExposed logs which data other users of the machine can change. Whoever can write to
// the folder can replace the data file.
func (a *App) warnOfExposed() {
	for _, e := range a.at.folder().Exposed() {
		a.log.Warn("others on this machine can change the data that is served", "path", e.Path, "mode", e.Mode.String(), "fix", e.Remedy())
	}
}

// warnOfCommitted logs a warning if git would commit the data folder.
func (a *App) warnOfCommitted() {
	if !gitignore.Committed(a.at.DataFile()) {
		return
	}
	fix := "add the folder to a .gitignore above it"
	if line, err := gitignore.LineFor(a.at.Site, a.at.DataFolder()); err == nil && line.Text != "" {
		fix = "add " + line.Text + " to " + filepath.Join(a.at.Site, ".gitignore")
	}
	a.log.Warn("password hashes and keys are in the data folder, which git would commit", "path", a.at.DataFolder(), "fix", fix)
}

// notify reports a state to the service manager. If there is none, that is no error.
func (a *App) notify(state string) {
	if err := listen.Notify(state); err != nil {
		a.log.Warn("the state of this server cannot be reported to the service manager", "error", err)
	}
}

// Summary counts the types and entries that a site serves.
type Summary struct{ Types, Entries int }

// String returns the summary in words: "7 content types and 1 entry".
func (s Summary) String() string {
	types, entries := "content types", "entries"
	if s.Types == 1 {
		types = "content type"
	}
	if s.Entries == 1 {
		entries = "entry"
	}
	return fmt.Sprintf("%d %s and %d %s", s.Types, types, s.Entries, entries)
}

// summary counts what is served. It waits for an import to end.
func (a *App) summary() (s Summary) {
	a.changing.Lock()
	defer a.changing.Unlock()
	snapshot := a.index.Snapshot()
	for t := range a.site.Served() {
		s.Types++
		s.Entries += snapshot.Table(t, store.Published).Len()
		if t.DraftAndPublish {
			s.Entries += snapshot.Table(t, store.Draft).Len()
		}
	}
	return s
}
