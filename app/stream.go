package app

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"quire/app/inspect"
	"quire/media"
	"quire/media/bucket"
	"quire/schema"
	"quire/schema/settings"
	"quire/server"
	"quire/server/metrics"
	"quire/store"
	"quire/transfer/backup"
	"quire/transfer/stream"
)

// streaming is the stream of a server.
type streaming struct {
	mu       sync.Mutex
	settings settings.CommitStream
	sender   *stream.Sender // nil for none
	problem  string         // why there is none, although site.json names one
	checked  *stream.StatusCheck
}

// How often a server looks for changed settings of the stream, and thins it.
const (
	streamInterval = time.Second
	thinInterval   = 15 * time.Minute
)

// status returns the state of the stream; nil for none.
func (s *streaming) status() *stream.SenderStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	var now stream.SenderStatus
	switch {
	case s.sender != nil:
		now = s.sender.Status()
	case s.problem != "":
		now = stream.SenderStatus{Problem: s.problem, Ended: true}
	default:
		return nil
	}
	now.Check = s.checked
	return &now
}

// streamState is what the metrics report about the stream.
func (a *App) streamState() *metrics.StreamState {
	s := a.streaming.status()
	if s == nil {
		return nil
	}
	m := &metrics.StreamState{Works: s.Problem == "", Records: s.Gap == "" && !s.Ended, Queued: s.Queued, MayQueue: s.MayQueue, Behind: time.Duration(s.Behind * float64(time.Second)), Sent: s.Sent}
	if s.SentTo != nil {
		m.SentTo = *s.SentTo
	}
	return m
}

func (a *App) streamSettings() settings.CommitStream { return a.server.Served().Settings.Backup.Stream }

// openStream begins to record commits for the stream that site.json names. If that fails, the
// site is served anyway.
func (a *App) openStream() {
	if sender := a.newStream(); sender != nil {
		a.askIfReplaced(sender)
	}
}

// newStream returns the sender of the stream; nil for none.
func (a *App) newStream() *stream.Sender {
	s := &a.streaming
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings, s.sender, s.problem = a.streamSettings(), nil, ""
	if !s.settings.InUse() || a.writesNothing() {
		return nil
	}
	var err error
	if s.sender, err = a.newSender(&s.settings); err != nil {
		s.problem = err.Error()
		a.log.Error("there is no stream of commits", "error", err)
	}
	return s.sender
}

// catalogOf lists what the stream of this server and those that it continues have.
func (a *App) catalogOf(ctx context.Context, sender *stream.Sender) (*stream.Catalog, error) {
	c, err := sender.Catalog(ctx)
	if err == nil {
		err = c.Trace(ctx, func(id string) (*stream.Key, error) { return streamKey(&a.streaming.settings, "", id) })
	}
	return c, err
}

func (a *App) newSender(of *settings.CommitStream) (*stream.Sender, error) {
	if a.isNode() {
		return nil, fmt.Errorf("backup.stream is for a site with one server; etcd has the commits of a cluster")
	}
	id, err := a.at.ownID()
	if err != nil {
		return nil, err
	}
	target, err := a.at.streamTarget(of)
	if err != nil {
		return nil, err
	}
	key, err := streamKey(of, "", id)
	if err != nil {
		return nil, err
	}
	r, err := a.at.role()
	if err != nil {
		return nil, err
	}
	return stream.Open(stream.Options{
		Continues: r.continues(), Replaced: a.replaced,
		ID: id, Target: target, Key: key, Folder: filepath.Join(a.at.DataFolder(), "stream"), Most: of.Queue, DB: a.db,
		Stage: a.stage, Names: uploadsOf, Uploads: a.at.UploadsFolder(), Program: Version(),
		Schemas: func() string { return fingerprintOf(a.server.Served()) }, Log: a.log,
	})
}

// streamTarget returns where the stream goes.
func (l Location) streamTarget(of *settings.CommitStream) (media.Storage, error) {
	if of.Storage.Bucket != "" {
		return bucket.New(of.Storage)
	}
	if of.Server != "" {
		token, err := secretInFile(of.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("the token of the stream: %w", err)
		}
		return stream.Vault(of.Server, token)
	}
	folder := of.Folder
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(l.Site, folder)
	}
	folder, err := filepath.Abs(folder)
	return stream.Folder(folder), err
}

// storedStream returns where the stream of another server is stored.
func (a *App) storedStream(name string) (server.StreamFolder, error) {
	folder := filepath.Join(a.at.DataFolder(), "streams")
	return stream.Folder(filepath.Join(folder, name)), store.MakeFolder(folder, 0o700)
}

// streamKey returns the key in a file or, if that is empty, in the file that site.json names;
// nil for none.
func streamKey(of *settings.CommitStream, file, id string) (*stream.Key, error) {
	if file == "" {
		file = of.KeyFile
	}
	if file == "" {
		return nil, nil
	}
	passphrase, err := secretInFile(file)
	if err != nil {
		return nil, fmt.Errorf("the key of the stream: %w", err)
	}
	return stream.NewKey(passphrase, id)
}

// uploadsOf lists the files of the record of an upload that an operation stores.
func uploadsOf(o store.Op) ([]string, error) {
	if len(o.Path) != 3 || o.Path[1] != schema.FileUID {
		return nil, nil
	}
	_, e, err := o.Entry()
	if e == nil || err != nil {
		return nil, err
	}
	stored := inspect.StoredFile(e)
	return stored.Names(), nil
}

// runStream sends until ctx is done. If the settings change, it begins again with the new
// ones.
func (a *App) runStream(ctx context.Context) {
	for ctx.Err() == nil {
		one, stop := context.WithCancel(ctx)
		var parts sync.WaitGroup
		if sender := a.streaming.sender; sender != nil {
			parts.Go(func() { sender.Run(one) })
			parts.Go(func() { a.careForStream(one, sender) })
		}
		a.untilStreamChanges(one)
		stop()
		parts.Wait()
		if sender := a.streaming.sender; sender != nil {
			if err := sender.Close(); err != nil {
				a.log.Error("the stream cannot be closed", "error", err)
			}
		}
		if ctx.Err() == nil {
			a.openStream()
		}
	}
}

// untilStreamChanges returns when the settings of the stream have changed, or ctx is done.
func (a *App) untilStreamChanges(ctx context.Context) {
	ticker := time.NewTicker(streamInterval)
	defer ticker.Stop()
	for a.streaming.settings == a.streamSettings() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// careForStream thins and checks the stream until ctx is done.
func (a *App) careForStream(ctx context.Context, sender *stream.Sender) {
	ticker := time.NewTicker(scheduleInterval)
	defer ticker.Stop()
	thin := time.Now().Add(thinInterval)
	plan := settings.Backup{Schedule: a.streaming.settings.Check}
	var check time.Time
	for {
		now := time.Now()
		if plan.Schedule != "" && check.IsZero() {
			check, _ = plan.Next(now) // the schedule was checked with the site
		}
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
		if now.After(thin) {
			thin = now.Add(thinInterval)
			a.thinStream(ctx, sender, now)
		}
		if !check.IsZero() && !now.Before(check) {
			check = time.Time{}
			a.checkStream(ctx, sender)
		}
	}
}

func (a *App) thinStream(ctx context.Context, sender *stream.Sender, now time.Time) {
	err := a.guarded(func() error {
		c, err := a.catalogOf(ctx, sender)
		if err != nil {
			return err
		}
		return sender.Thin(ctx, c, now)
	})
	if err != nil && ctx.Err() == nil {
		a.log.Error("the stream cannot be thinned", "error", err)
	}
}

// checkStream checks the whole stream, and restores it into a folder that it removes.
func (a *App) checkStream(ctx context.Context, sender *stream.Sender) {
	var checked *stream.Checked
	err := a.guarded(func() error {
		c, err := a.catalogOf(ctx, sender)
		if err != nil {
			return err
		}
		if err := backup.Sweep(a.at.DataFolder(), time.Now().Add(-forgotten)); err != nil {
			return err
		}
		checked, err = c.CheckIn(ctx, a.at.DataFolder(), inspect.StoredFiles)
		return err
	})
	if ctx.Err() != nil {
		return
	}
	result := &stream.StatusCheck{At: time.Now().UTC()}
	switch {
	case err != nil:
		result.Problem = err.Error()
	case len(checked.Problems) > 0:
		result.Problem = fmt.Sprintf("%s, and %d more", checked.Problems[0], len(checked.Problems)-1)
	}
	if result.Problem != "" {
		a.log.Error("the check of the stream has found problems", "problem", result.Problem)
	} else {
		a.log.Info("the stream was checked and restored", "objects", checked.Images+checked.Segments+checked.Files, "until", checked.Restored, "took", checked.Took)
	}
	a.streaming.mu.Lock()
	defer a.streaming.mu.Unlock()
	a.streaming.checked = result
}
