//go:build !noadmin

package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/server/metrics"
	"quire/test/ledger"
	"quire/transfer/backup"
)

// operate opens a site, with the section of the admin about its operation.
func operate(t *testing.T) (*App, *operation) {
	t.Helper()
	a := openHere(t, ledger.NewPeer(t))
	return a, a.admin.operation
}

// made waits for the backup in progress, and returns its name.
func (o *operation) made(t *testing.T) string {
	t.Helper()
	o.app.admin.jobs.Wait()
	job := o.UnderWay()
	if job == nil || job.Running || job.Failed || job.Name == nil {
		t.Fatalf("the backup: %+v", job)
	}
	return *job.Name
}

// A backup made on request is complete, and is listed. Backups of other sites are not.
func TestBackupOnRequest(t *testing.T) {
	a, o := operate(t)
	check(t, o.MakeBackup(t.Context()))
	name := o.made(t)
	folder, id, err := o.place()
	check(t, err)
	for _, foreign := range []string{"other-0123456789abcdef-by-hand-20260101-000000.000.tar.zst", "quire.db", "x-" + id + "-by-hand-yesterday.tar.zst", "-" + id + "-by-hand-20260101-000000.000.tar.zst"} {
		check(t, os.WriteFile(filepath.Join(folder, foreign), []byte("x"), 0o600))
	}
	check(t, os.Symlink("/etc/passwd", filepath.Join(folder, "x-"+id+"-by-hand-20260101-000000.000.tar.zst")))
	list, err := o.Backups()
	if err != nil || len(list) != 1 || list[0].Name != name || list[0].Scheduled || list[0].Bytes == 0 {
		t.Fatalf("the list: %+v, %v", list, err)
	}
	if _, err := backup.Verify(t.Context(), filepath.Join(folder, name)); err != nil {
		t.Error(err)
	}
	if last, err := a.lastBackup(); err != nil || last.IsZero() {
		t.Errorf("the last good backup: %v, %v", last, err)
	}
	f, _, err := o.OpenBackup(name)
	check(t, err)
	if head, err := io.ReadAll(io.LimitReader(f, 4)); err != nil || string(head) != "\x28\xb5\x2f\xfd" {
		t.Errorf("it begins with %q, %v", head, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := o.RemoveBackup(t.Context(), name); err != nil {
		t.Error(err)
	}
	if list, err := o.Backups(); err != nil || len(list) > 0 {
		t.Errorf("after it was removed: %+v, %v", list, err)
	}
}

// Only names of backups of this site are accepted.
func TestNamesOfBackups(t *testing.T) {
	_, o := operate(t)
	folder, id, err := o.place()
	check(t, err)
	for _, name := range []string{"", ".", "..", "../quire.db", "..%2fquire.db", folder, "/etc/passwd", "x/../y", "x-" + id + "-by-hand-20260101-000000.000.tar.zst", "a\x00b", strings.Repeat("x", 10_000)} {
		if _, _, err := o.OpenBackup(name); !errors.Is(err, admin.ErrNoBackup) {
			t.Errorf("%.40q opens: %v", name, err)
		}
		if err := o.RemoveBackup(t.Context(), name); !errors.Is(err, admin.ErrNoBackup) {
			t.Errorf("%.40q is removed: %v", name, err)
		}
	}
}

// One backup is made at a time, and their number is limited.
func TestManyBackups(t *testing.T) {
	_, o := operate(t)
	o.mu.Lock()
	o.job = &admin.BackupJob{Running: true}
	o.mu.Unlock()
	if err := o.MakeBackup(t.Context()); !errors.Is(err, admin.ErrBackupUnderWay) {
		t.Errorf("two at a time: %v", err)
	}
	o.job = nil
	folder, id, err := o.place()
	check(t, err)
	for i := range mostRequested {
		name := "x-" + id + "-" + requestedMark + time.Unix(int64(i), 0).UTC().Format(scheduledTime) + scheduledEnd
		check(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	if err := o.MakeBackup(t.Context()); !errors.Is(err, admin.ErrTooManyBackups) {
		t.Errorf("one more: %v", err)
	}
}

// A stopping server cancels a backup, and leaves nothing of it.
func TestEndDuringBackup(t *testing.T) {
	a, o := operate(t)
	ctx, end := context.WithCancel(t.Context())
	end()
	a.log = slog.New(slog.DiscardHandler)
	o.alive = ctx
	check(t, o.MakeBackup(t.Context()))
	a.admin.jobs.Wait()
	if job := o.UnderWay(); job.Running || !job.Failed {
		t.Errorf("the job: %+v", job)
	}
	if list, err := o.Backups(); err != nil || len(list) > 0 {
		t.Errorf("the list: %+v, %v", list, err)
	}
}

// Samples are rates since the previous sample. Their number is limited.
func TestSeries(t *testing.T) {
	_, o := operate(t)
	begin := time.Now()
	for i := range mostSamples + 10 {
		o.takeSample(begin.Add(time.Duration(i) * sampleEvery))
	}
	s := o.Series()
	if len(s.Samples) != mostSamples || s.Seconds != 10 || s.Samples[0].Memory == 0 || s.Samples[0].Requests != 0 {
		t.Errorf("%d samples, of which the first is %+v", len(s.Samples), s.Samples[0])
	}
	o.last.requests = 0
	o.last.writes = 1 << 40 // as after a restart
	o.takeSample(begin.Add(time.Duration(mostSamples+10) * sampleEvery))
	if last := o.Series().Samples[mostSamples-1]; last.Writes != 0 {
		t.Errorf("the last: %+v", last)
	}
}

// A sample has the durations of requests, and the work on pictures, since the previous
// sample.
func TestSamplesOfRequestsAndPictures(t *testing.T) {
	begin := time.Unix(1_000_000, 0)
	former := totals{at: begin, requests: 10, pictures: metrics.Pictures{Made: 5, Kept: 7, Refused: 1}}
	next := totals{at: begin.Add(10 * time.Second), requests: 30, pictures: metrics.Pictures{Made: 15, Kept: 27, Refused: 2, Waiting: 3}}
	got := next.since(former, 1).Pictures
	if got != (admin.PictureSample{Made: 1, Kept: 2, Refused: .1, Waiting: 3}) {
		t.Errorf("pictures: %+v", got)
	}
	a, o := operate(t)
	o.takeSample(begin)
	r := httptest.NewRequest("GET", "/api/nothing", nil)
	a.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
	o.takeSample(begin.Add(10 * time.Second))
	o.takeSample(begin.Add(20 * time.Second))
	s := o.Series().Samples
	if len(s) != 2 || s[0].Requests != .1 || s[0].P50 <= 0 || s[0].P99 < s[0].P50 || s[1].P50 != 0 || s[1].P99 != 0 {
		t.Errorf("samples: %+v", s)
	}
}
