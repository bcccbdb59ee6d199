//go:build !noadmin

package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"quire/admin"
	"quire/content/audit"
	"quire/server/metrics"
	"quire/transfer/backup"
)

// operation implements the section of the admin about the operation of the site.
type operation struct {
	app *App

	mu      sync.Mutex
	alive   context.Context // until the server stops; nil before it serves
	job     *admin.BackupJob
	samples []admin.Sample // at most mostSamples, oldest first
	last    totals         // at the last sample
}

// totals are the counters at one moment.
type totals struct {
	at                       time.Time
	requests, failed, writes uint64
	took                     metrics.Distribution
	pictures                 metrics.Pictures
}

// How often the state of the site is sampled, and how many samples are kept.
const (
	sampleEvery = 10 * time.Second
	mostSamples = 360
)

// sample takes samples of the state until ctx is done.
func (o *operation) sample(ctx context.Context) {
	o.mu.Lock()
	o.alive = ctx
	o.mu.Unlock()
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	o.takeSample(time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			o.takeSample(now)
		}
	}
}

// takeSample adds a sample of what has happened since the last one.
func (o *operation) takeSample(now time.Time) {
	status, err := o.app.server.Status()
	if err != nil {
		o.app.log.Warn("cannot read the state of the site", "error", err)
		return
	}
	next := totals{now, status.Requests.Total, status.Requests.ByClass["5xx"], status.Writes.Total, status.Requests.Took, status.Pictures}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.last.at.IsZero() && now.After(o.last.at) {
		o.samples = append(o.samples, next.since(o.last, status.Memory))
	}
	o.samples = o.samples[max(0, len(o.samples)-mostSamples):]
	o.last = next
}

// since returns the sample for the time since a former one.
func (t totals) since(former totals, memory uint64) admin.Sample {
	seconds := t.at.Sub(former.at).Seconds()
	rate := func(now, then uint64) float64 { return float64(now-min(then, now)) / seconds }
	took, now, then := t.took.Since(former.took), t.pictures, former.pictures
	return admin.Sample{
		At: t.at.UTC(), Requests: rate(t.requests, former.requests), Failed: rate(t.failed, former.failed), Writes: rate(t.writes, former.writes),
		Memory: memory, P50: took.Quantile(.5), P99: took.Quantile(.99),
		Pictures: admin.PictureSample{Made: rate(now.Made, then.Made), Kept: rate(now.Kept, then.Kept), Refused: rate(now.Refused, then.Refused), Waiting: now.Waiting},
	}
}

func (o *operation) Series() admin.Series {
	o.mu.Lock()
	defer o.mu.Unlock()
	return admin.Series{Seconds: int(sampleEvery.Seconds()), Samples: slices.Clone(o.samples)}
}

// Node returns the name of this node; empty if the site has one server.
func (o *operation) Node() string { return o.app.nodeName() }

// Status returns the same as `quire status`, without the paths of files, which are of no
// use in a browser.
func (o *operation) Status() (any, error) {
	s, err := o.app.statusLive()
	if err != nil {
		return nil, err
	}
	s.DataFile = filepath.Base(s.DataFile)
	if s.Backup != nil {
		shown := *s.Backup
		shown.File, shown.Folder = filepath.Base(shown.File), ""
		s.Backup = &shown
	}
	if folder := o.app.streamSettings().Folder; s.Stream != nil && folder != "" {
		s.Stream.Target = "the folder " + filepath.Base(folder)
	}
	return s, nil
}

// mostRequested is the maximum number of backups that were made on request.
const mostRequested = 20

// place returns the folder of backups, and the id of the data folder.
func (o *operation) place() (folder, id string, err error) {
	settings, _ := o.app.backupSettings()
	if id, err = o.app.at.ownID(); err == nil {
		folder, err = o.app.backupFolder(settings)
	}
	return folder, id, err
}

// Backups lists the backups of this data folder. Others in the same folder belong to other
// sites.
func (o *operation) Backups() ([]admin.Backup, error) {
	folder, id, err := o.place()
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledBackups(folder, id)
	if err != nil {
		return nil, err
	}
	requested, err := requestedBackups(folder, id)
	list := append(shownBackups(requested, false), shownBackups(scheduled, true)...)
	slices.SortFunc(list, func(a, b admin.Backup) int {
		return cmp.Or(b.MadeAt.Compare(a.MadeAt), strings.Compare(a.Name, b.Name))
	})
	return list, err
}

func shownBackups(all []BackedUp, scheduled bool) (list []admin.Backup) {
	for _, b := range all {
		list = append(list, admin.Backup{Name: filepath.Base(b.File), MadeAt: b.Made.UTC(), Bytes: b.Size, Scheduled: scheduled})
	}
	return list
}

func (o *operation) UnderWay() *admin.BackupJob {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.job == nil {
		return nil
	}
	job := *o.job
	return &job
}

// MakeBackup starts a backup, which continues when the caller has left.
func (o *operation) MakeBackup(ctx context.Context) error {
	if err := o.takesOne(); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.job != nil && o.job.Running {
		return admin.ErrBackupUnderWay
	}
	o.job = &admin.BackupJob{Running: true, StartedAt: time.Now().UTC()}
	job, alive := o.job, o.lifeLocked()
	o.app.admin.jobs.Go(func() {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		defer context.AfterFunc(alive, stop)()
		if alive.Err() != nil { // AfterFunc may need a moment
			stop()
		}
		o.makeBackup(ctx, job)
	})
	return nil
}

// takesOne returns ErrTooManyBackups if no more backups may be made on request.
func (o *operation) takesOne() error {
	folder, id, err := o.place()
	if err != nil {
		return err
	}
	former, err := requestedBackups(folder, id)
	if err == nil && len(former) >= mostRequested {
		err = admin.ErrTooManyBackups
	}
	return err
}

// life returns a context that is done when the server stops.
func (o *operation) life() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lifeLocked()
}

// lifeLocked is life for callers that hold mu.
func (o *operation) lifeLocked() context.Context {
	if o.alive == nil {
		return context.Background()
	}
	return o.alive
}

// makeBackup makes a backup, and records the result in the job.
func (o *operation) makeBackup(ctx context.Context, job *admin.BackupJob) {
	var made BackedUp
	err := o.app.guarded(func() (err error) {
		made, err = o.save(ctx)
		return err
	})
	if err != nil {
		o.app.log.Error("the requested backup failed", "error", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	ended := time.Now().UTC()
	job.Running, job.EndedAt, job.Failed = false, &ended, err != nil
	if name := filepath.Base(made.File); err == nil {
		job.Name = &name
	}
}

func (o *operation) save(ctx context.Context) (made BackedUp, err error) {
	to, err := o.target()
	if err != nil {
		return made, err
	}
	staged, err := o.app.stage(ctx)
	if err != nil {
		return made, err
	}
	settings, _ := o.app.backupSettings()
	to.bucket = o.app.fetched(settings)
	if made, err = to.save(ctx, staged); err != nil {
		return made, err
	}
	return made, o.app.requestReopenOn(putBackup(ctx, o.app.db, made))
}

// target chooses the path of a new file, and removes unfinished files beside it.
func (o *operation) target() (target, error) {
	settings, schemas := o.app.backupSettings()
	to, err := o.app.newTarget(settings, schemas, "-"+requestedMark)
	if err == nil {
		err = backup.SweepBackups(filepath.Dir(to.file), time.Now().Add(-forgotten))
	}
	return to, err
}

// find returns the path of a backup that Backups lists. It compares names, and never uses
// the given name as part of a path.
func (o *operation) find(name string) (path string, found admin.Backup, err error) {
	folder, _, err := o.place()
	if err != nil {
		return "", found, err
	}
	list, err := o.Backups()
	if err != nil {
		return "", found, err
	}
	for _, b := range list {
		if b.Name == name {
			return filepath.Join(folder, b.Name), b, nil
		}
	}
	return "", found, admin.ErrNoBackup
}

func (o *operation) OpenBackup(name string) (io.ReadSeekCloser, time.Time, error) {
	path, b, err := o.find(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = admin.ErrNoBackup
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	return f, b.MadeAt, nil
}

func (o *operation) RemoveBackup(ctx context.Context, name string) error {
	path, b, err := o.find(name)
	switch {
	case err != nil:
		return err
	case b.Scheduled:
		return admin.ErrScheduled
	}
	e := audit.Event{Action: "data.remove-backup", Target: audit.Target{Type: "backup", Name: name}}
	if err := audit.NewLog(o.app.db).Note(audit.Of(ctx), e); err != nil {
		return o.app.requestReopenOn(err)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
