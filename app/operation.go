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
	"quire/audit"
	"quire/backup"
	"quire/media"
	"quire/server/metrics"
)

// operation is what the admin shows of how the site runs, and does about it.
type operation struct {
	app *App

	mu      sync.Mutex
	alive   context.Context // until the server ends; nil before it serves
	job     *admin.BackupJob
	samples []admin.Sample // at most mostSamples, the oldest first
	last    totals         // at the last of them
}

// totals is what was counted up to a moment.
type totals struct {
	at                       time.Time
	requests, failed, writes uint64
	took                     metrics.Distribution
	pictures                 metrics.Pictures
}

// How often it is looked how the site does, and how far back that is remembered.
const (
	sampleEvery = 10 * time.Second
	mostSamples = 360
)

// sample looks how the site does until ctx is done.
func (o *operation) sample(ctx context.Context) {
	o.mu.Lock()
	o.alive = ctx
	o.mu.Unlock()
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	o.look(time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			o.look(now)
		}
	}
}

// look remembers how the site has done since the last look.
func (o *operation) look(now time.Time) {
	status, err := o.app.server.Status()
	if err != nil {
		o.app.log.Warn("it is not known how the site does", "error", err)
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

// since is the sample of the time since a former look.
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

// Node is the name of this node; empty for a site by itself.
func (o *operation) Node() string { return o.app.nodeName() }

// Status is that of `quire status`. Where files are is of no use in a browser.
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
	return s, nil
}

// requestedMark is in the name of a backup that was made on request, between the id of the
// data folder and the time.
const requestedMark = "by-hand-"

// mostRequested bounds the backups that were made on request.
const mostRequested = 20

// requestedAt reads the time from the name of a backup of that data folder that was made on
// request.
func requestedAt(name, id string) (made time.Time, ok bool) {
	before, after, ok := strings.Cut(name, "-"+id+"-"+requestedMark)
	if !ok || id == "" || before == "" {
		return made, false
	}
	made, err := time.Parse(scheduledTime+scheduledEnd, after)
	return made, err == nil
}

// place is the folder of backups, and the id of the data folder.
func (o *operation) place() (folder, id string, err error) {
	settings, _ := o.app.backupSettings()
	if id, err = o.app.at.ownID(); err == nil {
		folder, err = o.app.backupFolder(settings)
	}
	return folder, id, err
}

// Backups lists those of this data folder: others in the same folder are another site's.
func (o *operation) Backups() ([]admin.Backup, error) {
	folder, id, err := o.place()
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledBackups(folder, id)
	if err != nil {
		return nil, err
	}
	list, err := requestedBackups(folder, id)
	for _, b := range scheduled {
		list = append(list, admin.Backup{Name: filepath.Base(b.File), MadeAt: b.Made.UTC(), Bytes: b.Size, Scheduled: true})
	}
	slices.SortFunc(list, func(a, b admin.Backup) int {
		return cmp.Or(b.MadeAt.Compare(a.MadeAt), strings.Compare(a.Name, b.Name))
	})
	return list, err
}

func requestedBackups(folder, id string) (list []admin.Backup, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		made, ours := requestedAt(e.Name(), id)
		if info, gone := e.Info(); ours && gone == nil && info.Mode().IsRegular() {
			list = append(list, admin.Backup{Name: e.Name(), MadeAt: made, Bytes: info.Size()})
		}
	}
	return list, err
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

// MakeBackup begins a backup, which goes on when whoever asked for it has gone.
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
		o.makeBackup(ctx, job)
	})
	return nil
}

// takesOne is ErrTooManyBackups where no other backup may be made on request.
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

// life is done when the server ends.
func (o *operation) life() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lifeLocked()
}

// lifeLocked is life. mu must be held.
func (o *operation) lifeLocked() context.Context {
	if o.alive == nil {
		return context.Background()
	}
	return o.alive
}

// makeBackup makes a backup and says in the job what came of it.
func (o *operation) makeBackup(ctx context.Context, job *admin.BackupJob) {
	var made BackedUp
	err := o.app.guarded(func() (err error) {
		made, err = o.save(ctx)
		return err
	})
	if err != nil {
		o.app.log.Error("the backup that was asked for could not be made", "error", err)
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

// target is where a backup that is made on request goes, and what it says of the site.
type target struct {
	file, id, schemas string

	bucket media.Storage // whose files it holds; nil for none
}

// target chooses a new file, and removes what was never finished beside it.
func (o *operation) target() (to target, err error) {
	folder, id, err := o.place()
	if err != nil {
		return to, err
	}
	if err := backup.SweepBackups(folder, time.Now().Add(-forgotten)); err != nil {
		return to, err
	}
	site, err := filepath.Abs(o.app.at.Site)
	if err != nil {
		return to, err
	}
	_, schemas := o.app.backupSettings()
	name := filepath.Base(site) + "-" + id + "-" + requestedMark + time.Now().UTC().Format(scheduledTime) + scheduledEnd
	return target{file: filepath.Join(folder, name), id: id, schemas: schemas}, nil
}

// name is what the backup is called.
func (to target) name() string { return filepath.Base(to.file) }

// save makes a backup of what was set aside, which it removes.
func (to target) save(ctx context.Context, staged string) (made BackedUp, err error) {
	source, done, err := openStaged(staged)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := fetchFrom(ctx, source, to.bucket); err != nil {
		return made, err
	}
	_, made, err = save(ctx, source, to.schemas, to.file, false)
	made.Folder = to.id
	return made, err
}

// find returns the path of a backup that Backups lists. A name is compared, and never put
// into a path before.
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
