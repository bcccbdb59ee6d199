//go:build !noadmin

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/admin"
	"quire/content/audit"
	"quire/index"
	"quire/store"
	"quire/transfer/backup"
)

// guideWithBackup is the starter site with a backup. Since the backup, the site has one
// more cuisine, and an upload that the backup lacks.
func guideWithBackup(t *testing.T) (a *App, log *bytes.Buffer, name string) {
	t.Helper()
	a, log = startGuide(t)
	check(t, a.admin.operation.MakeBackup(t.Context()))
	name = a.admin.operation.made(t)
	addCuisine(t, a, "late")
	return a, log, name
}

func addCuisine(t *testing.T, a *App, name string) {
	t.Helper()
	line := `{"type": "api::cuisine.cuisine", "data": {"name": "` + name + `"}}`
	check(t, a.sowLine(t.Context(), []byte(line), nil))
}

// ended waits until the operation has ended, and returns it.
func (t *transfers) ended(tb testing.TB) *admin.Transfer {
	tb.Helper()
	t.app.admin.jobs.Wait()
	job := t.Transfer()
	if job == nil || job.Running || job.EndedAt == nil {
		tb.Fatalf("the transfer: %+v", job)
	}
	return job
}

// left returns what restores have left in the data folder.
func left(t *testing.T, a *App) (names []string) {
	t.Helper()
	for _, pattern := range []string{".restore-*", ".backup-*", "replaced-*"} {
		found, err := filepath.Glob(filepath.Join(a.at.DataFolder(), pattern))
		check(t, err)
		names = append(names, found...)
	}
	return names
}

// A preview says what a restore would do, and changes nothing.
func TestLookAtABackup(t *testing.T) {
	a, _, name := guideWithBackup(t)
	check(t, a.admin.transfers.Look(t.Context(), name))
	job := a.admin.transfers.ended(t)
	if job.Problem != "" || job.Kind != admin.Looking || job.File != name || job.Plan == nil {
		t.Fatalf("the look: %+v", job)
	}
	plan := job.Plan
	at := slices.IndexFunc(plan.Types, func(one admin.TypeThen) bool { return one.UID == "api::cuisine.cuisine" })
	if at < 0 || plan.Types[at].Then == 0 || plan.Types[at].Now != plan.Types[at].Then+1 {
		t.Errorf("the types: %+v", plan.Types)
	}
	if plan.Changes == nil || *plan.Changes == 0 || !plan.SameSchemas || plan.Missing > 0 || plan.MadeAt.IsZero() {
		t.Errorf("the plan: %+v", plan)
	}
	if status, body := ask(a, "/api/cuisines?filters[name]=late"); status != 200 || !strings.Contains(body, `"total":1`) {
		t.Errorf("after the look: %d %s", status, body)
	}
	if got := left(t, a); len(got) > 0 {
		t.Errorf("it left %s", got)
	}
}

// A restore works while the site is served. It makes a backup of the current data first,
// which can be restored too.
func TestRestoreWhileServing(t *testing.T) {
	a, _, name := guideWithBackup(t)
	stray := filepath.Join(a.at.UploadsFolder(), "stray.txt")
	piece := filepath.Join(a.at.UploadsFolder(), ".upload-1")
	for _, path := range []string{stray, piece} {
		check(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	before := a.index.Snapshot().Revision()
	restoreHere(t, a, name)
	job := a.admin.transfers.Transfer()
	if job.Phase != admin.PhaseDone || job.Saved == "" || job.Saved == name {
		t.Errorf("the restore: %+v", job)
	}
	if status, body := ask(a, "/api/cuisines?filters[name]=late"); status != 200 || !strings.Contains(body, `"total":0`) {
		t.Errorf("what is served: %d %s", status, body)
	}
	if now := a.index.Snapshot().Revision(); now <= before {
		t.Errorf("the revision went from %d to %d", before, now)
	}
	addCuisine(t, a, "later")
	if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an upload of before: %v", err)
	}
	if _, err := os.Stat(piece); err != nil {
		t.Errorf("an upload on its way: %v", err)
	}
	if got := left(t, a); len(got) > 0 {
		t.Errorf("it left %s", got)
	}
	restoreHere(t, a, job.Saved)
	if status, body := ask(a, "/api/cuisines?filters[name][$in][0]=late&filters[name][$in][1]=later"); status != 200 || !strings.Contains(body, `"total":1`) {
		t.Errorf("after the way back: %d %s", status, body)
	}
	want := []string{"data.backup", "data.restore-begin", "data.restore", "data.backup", "data.restore-begin", "data.restore", "data.backup"}
	if got := auditActions(t, a); !slices.Equal(got, want) {
		t.Errorf("the audit log has %s", got)
	}
}

// auditActions returns the actions about the data in the audit log, oldest first.
func auditActions(t *testing.T, a *App) (actions []string) {
	t.Helper()
	some, err := audit.NewLog(a.db).Read(audit.Query{Action: "data."}, 0)
	check(t, err)
	for _, line := range some.Lines {
		var e audit.Event
		check(t, json.Unmarshal(line, &e))
		actions = append(actions, e.Action)
	}
	return actions
}

func restoreHere(t *testing.T, a *App, name string) {
	t.Helper()
	check(t, a.admin.transfers.Restore(t.Context(), name))
	if job := a.admin.transfers.ended(t); job.Problem != "" {
		t.Fatalf("the restore: %+v", job)
	}
}

// One operation runs at a time. A second one gets the name of the first.
func TestTransfersOneAtATime(t *testing.T) {
	a, _, name := guideWithBackup(t)
	a.admin.transfers.job = &admin.Transfer{Kind: admin.Restoring, By: "ana@example.org", Running: true}
	busy := new(admin.BusyError)
	if err := a.admin.transfers.Look(t.Context(), name); !errors.As(err, &busy) || !strings.Contains(err.Error(), "restored, which ana@example.org has begun") {
		t.Errorf("a second one: %v", err)
	}
	a.admin.transfers.job.Running = false
	if err := a.admin.transfers.Cancel(); !errors.Is(err, admin.ErrTooLate) {
		t.Errorf("stopping nothing: %v", err)
	}
}

// A restore ends all sessions: those in the backup, and those that began since.
func TestRestoreEndsSessions(t *testing.T) {
	a, _ := startGuide(t)
	args := `{"name": "Ana", "email": "ana@example.org", "role": "owner", "password": "correct horse battery"}`
	if _, err := a.doAdmin(byCommand(t.Context(), "admin create"), "admin create", []byte(args)); err != nil {
		t.Fatal(err)
	}
	first := enterHere(t, a)
	check(t, a.admin.operation.MakeBackup(t.Context()))
	name := a.admin.operation.made(t)
	if got := entered(a, first); got != 200 {
		t.Fatalf("before: %d", got)
	}
	restoreHere(t, a, name)
	if got := entered(a, first); got != 401 {
		t.Errorf("after the restore: %d", got)
	}
	next := enterHere(t, a)
	check(t, a.endSessions())
	if got := entered(a, next); got != 401 {
		t.Errorf("one that was begun meanwhile: %d", got)
	}
}

// enterHere signs in, and returns the cookie of the session.
func enterHere(t *testing.T, a *App) (cookie string) {
	t.Helper()
	r := httptest.NewRequest("POST", "/admin/api/v1/session", strings.NewReader(`{"email": "ana@example.org", "password": "correct horse battery"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Quire-Admin", "1")
	w := httptest.NewRecorder()
	a.server.Handler().ServeHTTP(w, r)
	if cookie = w.Header().Get("Set-Cookie"); w.Code != 200 || cookie == "" {
		t.Fatalf("signing in: %d %s", w.Code, w.Body)
	}
	return cookie
}

// entered returns the status of the response to a request with that cookie.
func entered(a *App, cookie string) (status int) {
	r := httptest.NewRequest("GET", "/admin/api/v1/session", nil)
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	a.server.Handler().ServeHTTP(w, r)
	return w.Code
}

// While a restore has exclusive access to the content, the page of backups shows its
// progress, and other operations are refused at once.
func TestPagesDuringARestore(t *testing.T) {
	a, _, name := guideWithBackup(t)
	a.admin.transfers.job = &admin.Transfer{Kind: admin.Restoring, Running: true}
	a.changing.Lock()
	defer a.changing.Unlock()
	if list, err := a.admin.operation.Backups(); err != nil || len(list) != 1 {
		t.Errorf("the backups: %+v, %v", list, err)
	}
	if job := a.admin.transfers.Transfer(); job == nil || !job.Running {
		t.Errorf("under way: %+v", job)
	}
	busy := new(admin.BusyError)
	if err := a.admin.transfers.Export(t.Context(), admin.ExportForm{}); !errors.As(err, &busy) {
		t.Errorf("an export: %v", err)
	}
	for _, do := range []func(context.Context, string) error{a.admin.transfers.Look, a.admin.transfers.Restore} {
		if err := do(t.Context(), name); !errors.As(err, &busy) {
			t.Errorf("another one: %v", err)
		}
	}
}

// A restore that is stopped, or whose backup is invalid, damaged or does not fit the
// site, changes nothing and says why.
func TestRestoreThatFails(t *testing.T) {
	a, _, name := guideWithBackup(t)
	a.log = slog.New(slog.DiscardHandler)
	path, _, err := a.admin.operation.find(name)
	check(t, err)
	whole, err := os.ReadFile(path)
	check(t, err)
	for what, c := range map[string]struct {
		text    []byte
		problem string
	}{
		"cut off":    {whole[:len(whole)/2], admin.ProblemDamaged},
		"foreign":    {[]byte("no backup"), admin.ProblemDamaged},
		"no content": {nil, admin.ProblemDamaged},
	} {
		check(t, os.WriteFile(path, c.text, 0o600))
		for _, do := range []func(context.Context, string) error{a.admin.transfers.Look, a.admin.transfers.Restore} {
			check(t, do(t.Context(), name))
			job := a.admin.transfers.ended(t)
			if job.Problem != c.problem || strings.Contains(job.Detail, a.at.DataFolder()) || job.Saved != "" {
				t.Errorf("%s: %+v", what, job)
			}
		}
	}
	check(t, os.WriteFile(path, whole, 0o600))
	ctx, end := context.WithCancel(t.Context())
	end()
	a.admin.operation.alive = ctx
	check(t, a.admin.transfers.Restore(t.Context(), name))
	if job := a.admin.transfers.ended(t); job.Problem != admin.ProblemCancelled || job.Saved != "" {
		t.Errorf("stopped: %+v", job)
	}
	if status, body := ask(a, "/api/cuisines?filters[name]=late"); status != 200 || !strings.Contains(body, `"total":1`) {
		t.Errorf("what is served: %d %s", status, body)
	}
	addCuisine(t, a, "later")
	if got := left(t, a); len(got) > 0 {
		t.Errorf("they left %s", got)
	}
}

// A restore can be stopped until the data is replaced, and not after that. A name that
// leads elsewhere is not that of a backup.
func TestRestoreRefuses(t *testing.T) {
	a, _, name := guideWithBackup(t)
	for _, wrong := range []string{"", "..", "../quire.db", "../" + name, filepath.Join(a.at.DataFolder(), "backups", name)} {
		if err := a.admin.transfers.Look(t.Context(), wrong); !errors.Is(err, admin.ErrNoBackup) {
			t.Errorf("a look at %q: %v", wrong, err)
		}
		if err := a.admin.transfers.Restore(t.Context(), wrong); !errors.Is(err, admin.ErrNoBackup) {
			t.Errorf("restoring %q: %v", wrong, err)
		}
	}
	tr := &transfers{app: a, job: &admin.Transfer{Running: true}}
	ctx, stop := context.WithCancel(t.Context())
	tr.cancel = stop
	if err := tr.beginSwitch(ctx); err != nil {
		t.Error(err)
	}
	if err := tr.Cancel(); !errors.Is(err, admin.ErrTooLate) || ctx.Err() != nil {
		t.Errorf("too late: %v, %v", err, ctx.Err())
	}
	tr.cancel = stop
	if err := tr.Cancel(); err != nil {
		t.Error(err)
	}
	if err := tr.beginSwitch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("in time: %v", err)
	}
}

// A node of a cluster restores nothing by itself, because the other nodes would not
// notice.
func TestRestoreOfANode(t *testing.T) {
	a, _, name := guideWithBackup(t)
	a.log = slog.New(slog.DiscardHandler)
	check(t, os.WriteFile(a.at.nodePath(), []byte(`{"cluster": "etcd://here/site", "name": "n1"}`), 0o600))
	check(t, a.admin.transfers.Restore(t.Context(), name))
	if job := a.admin.transfers.ended(t); job.Problem != admin.ProblemUnfit || !strings.Contains(job.Detail, "a node of the cluster") {
		t.Errorf("the restore: %+v", job)
	}
	if status, body := ask(a, "/api/cuisines?filters[name]=late"); status != 200 || !strings.Contains(body, `"total":1`) {
		t.Errorf("what is served: %d %s", status, body)
	}
}

// If the data file cannot be replaced, the former data stays served.
func TestRestoreThatCannotSwitch(t *testing.T) {
	a, _, name := guideWithBackup(t)
	path, _, err := a.admin.operation.find(name)
	check(t, err)
	p, err := backup.Prepare(t.Context(), path, a.at.DataFolder())
	check(t, err)
	check(t, os.RemoveAll(p.Data()))
	var former *index.Index
	err = a.withoutWriter(func() error { former = a.index; return a.installLocked(t.Context(), p) })
	if err == nil || a.index != former || a.db.Suspended() || store.Uncertain(err) {
		t.Errorf("it is %v, suspended %t", err, a.db.Suspended())
	}
	addCuisine(t, a, "later")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
