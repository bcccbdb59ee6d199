//go:build !noadmin

package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/content/audit"
	"quire/transfer/archive"
)

const guideExport = "../testdata/export/guide.tar.gz"

// sendFile uploads the file of an import.
func sendFile(t *testing.T, a *App, name string, text []byte) {
	t.Helper()
	check(t, a.admin.transfers.Receive(t.Context(), name, bytes.NewReader(text)))
}

// planHere plans an import, and returns the job when it has ended.
func planHere(t *testing.T, a *App, how admin.ImportForm) *admin.Transfer {
	t.Helper()
	check(t, a.admin.transfers.PlanImport(t.Context(), how))
	return a.admin.transfers.ended(t)
}

// remains returns the files of imports and the temporary files that they have left.
func remains(t *testing.T, a *App) (names []string) {
	t.Helper()
	for _, pattern := range []string{"imports/*", "quire.db.*"} {
		found, err := filepath.Glob(filepath.Join(a.at.DataFolder(), pattern))
		check(t, err)
		names = append(names, found...)
	}
	return append(names, left(t, a)...)
}

// total requires the number of served cuisines with a name.
func total(t *testing.T, a *App, name, want string) {
	t.Helper()
	if status, body := ask(a, "/api/cuisines?filters[name]="+name); status != 200 || !strings.Contains(body, `"total":`+want) {
		t.Errorf("%s: %d %s", name, status, body)
	}
}

const basil = `{"type": "api::cuisine.cuisine", "documentId": "basil", "data": {"name": "basil"}}` + "\n"

// A plan is made on a copy: nothing changes until the import is carried out. A backup is
// made before, and restores the former content.
func TestImportInTheAdmin(t *testing.T) {
	a, log := startGuide(t)
	sendFile(t, a, "../our lines.ndjson", []byte(basil))
	if job := a.admin.transfers.Transfer(); job.Form != admin.FormLines || job.Size != int64(len(basil)) || job.File != "../our lines.ndjson" {
		t.Errorf("sent: %+v", job)
	}
	job := planHere(t, a, admin.ImportForm{Existing: "refuse"})
	if job.Problem != "" || job.Import == nil || !slices.Equal(job.Import.Taken, []admin.PlanCount{{What: "api::cuisine.cuisine", N: 1}}) {
		t.Fatalf("the plan: %+v", job)
	}
	at := slices.IndexFunc(job.Import.Types, func(one admin.TypeThen) bool { return one.UID == "api::cuisine.cuisine" })
	if at < 0 || job.Import.Types[at].Then != job.Import.Types[at].Now+1 {
		t.Errorf("the types: %+v", job.Import.Types)
	}
	total(t, a, "basil", "0")
	if err := a.admin.transfers.Import(t.Context(), time.Now()); !errors.Is(err, admin.ErrNoPlan) {
		t.Errorf("another plan: %v", err)
	}
	check(t, a.admin.transfers.Import(t.Context(), job.StartedAt))
	job = a.admin.transfers.ended(t)
	if job.Problem != "" || job.Phase != admin.PhaseDone || job.Saved == "" || job.Done != 1 || job.Bytes != job.Size {
		t.Errorf("the import: %+v", job)
	}
	total(t, a, "basil", "1")
	addCuisine(t, a, "later")
	if got := remains(t, a); len(got) > 0 {
		t.Errorf("it left %s", got)
	}
	want := []string{"data.import-begin", "data.import", "data.backup"}
	if got := auditActions(t, a); !slices.Equal(got, want) {
		t.Errorf("the audit log has %s", got)
	}
	restoreHere(t, a, job.Saved)
	total(t, a, "basil", "0")
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log: %s", log)
	}
}

// The files of an archive are stored only when it is imported. The key of an encrypted
// archive is in no response, audit line or log.
func TestImportOfAnArchive(t *testing.T) {
	a, log := startGuide(t)
	addCuisine(t, a, "late")
	sealed := sealedExport(t, a, "right-key")
	addCuisine(t, a, "later")
	sendFile(t, a, "guide.tar.gz.enc", sealed)
	if err := a.admin.transfers.PlanImport(t.Context(), admin.ImportForm{Existing: "replace"}); !errors.Is(err, admin.ErrKeyNeeded) {
		t.Errorf("without the key: %v", err)
	}
	job := planHere(t, a, admin.ImportForm{Existing: "replace", Key: "wrong-key"})
	if job.Problem != admin.ProblemDamaged || !strings.Contains(job.Detail, "guide.tar.gz.enc is damaged or cut off: the key is wrong") || strings.Contains(job.Detail, "wrong-key") {
		t.Errorf("a wrong key: %+v", job)
	}
	before := uploads(t, a)
	job = planHere(t, a, admin.ImportForm{Existing: "replace", Key: "right-key"})
	if job.Problem != "" || job.Import == nil || len(job.Import.Problems) > 0 {
		t.Fatalf("the plan: %+v", job)
	}
	if after := uploads(t, a); !slices.Equal(before, after) {
		t.Errorf("a plan made %s of %s", after, before)
	}
	check(t, a.admin.transfers.Import(t.Context(), job.StartedAt))
	if job = a.admin.transfers.ended(t); job.Problem != "" {
		t.Fatalf("the import: %+v", job)
	}
	total(t, a, "late", "1")
	total(t, a, "later", "0")
	if after := uploads(t, a); !slices.Equal(before, after) {
		t.Errorf("the import made %s of %s", after, before)
	}
	lines, err := audit.NewLog(a.db).Read(audit.Query{}, 0)
	check(t, err)
	shown, err := json.Marshal(job)
	check(t, err)
	said := log.String() + string(shown)
	for _, line := range lines.Lines {
		said += string(line)
	}
	if strings.Contains(said, "wrong-key") || strings.Contains(said, "right-key") {
		t.Errorf("a key is said: %s", said)
	}
}

// sealedExport returns an encrypted archive of the site.
func sealedExport(t *testing.T, a *App, key string) []byte {
	t.Helper()
	files, err := a.at.Files(t.Context(), a.site)
	check(t, err)
	var out bytes.Buffer
	from := archive.Origin{Site: a.site, Folder: os.DirFS(a.at.Site), DB: a.db, Files: files}
	if _, err := archive.ExportArchive(t.Context(), from, &out, archive.Packing{Key: key}, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// uploads returns the names of the files of the site.
func uploads(t *testing.T, a *App) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(a.at.UploadsFolder())
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Problems of an import are listed with file and place, without paths of the machine. Such
// an import cannot be carried out.
func TestImportWithProblems(t *testing.T) {
	a, _ := startGuide(t)
	a.log = slog.New(slog.DiscardHandler)
	text, err := os.ReadFile(guideExport)
	check(t, err)
	path := a.at.DataFolder()
	for name, c := range map[string]struct {
		text    []byte
		how     admin.ImportForm
		problem string
		message string
	}{
		"cut.tar.gz":  {text[:len(text)/2], admin.ImportForm{Existing: "merge"}, admin.ProblemDamaged, "cut.tar.gz is damaged or cut off"},
		"bomb.tar.gz": {bombed(t), admin.ImportForm{Existing: "merge"}, admin.ProblemDamaged, "expands to more than 100 times its size"},
		"full.tar.gz": {text, admin.ImportForm{Existing: "refuse"}, admin.ProblemOccupied, ""},
		"odd.ndjson":  {[]byte(basil + `{"type": "api::none.none", "data": {}}` + "\n"), admin.ImportForm{Existing: "merge"}, "", "odd.ndjson, line 2: "},
		"none.png":    {[]byte("\x89PNG none"), admin.ImportForm{Existing: "merge", Key: "k"}, admin.ProblemDamaged, "none.png is damaged"},
	} {
		sendFile(t, a, name, c.text)
		job := planHere(t, a, c.how)
		said := job.Detail
		if job.Import != nil {
			said += strings.Join(job.Import.Problems, "\n")
		}
		if job.Problem != c.problem || !strings.Contains(said, c.message) || strings.Contains(said, path) {
			t.Errorf("%s: %+v, %s", name, job, said)
		}
		if err := a.admin.transfers.Import(t.Context(), job.StartedAt); !errors.Is(err, admin.ErrNoPlan) {
			t.Errorf("%s is imported: %v", name, err)
		}
	}
	a.admin.transfers.discard()
	if got := remains(t, a); len(got) > 0 {
		t.Errorf("they left %s", got)
	}
}

// bombed returns an archive of zeros, which is far larger than its compressed form.
func bombed(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	head := make([]byte, 512)
	copy(head, "assets/uploads/zeros")
	copy(head[100:], "0000644\x000000000\x000000000\x0070000000000\x0000000000000\x00        0")
	copy(head[257:], "ustar\x0000")
	sum := 0
	for _, b := range head {
		sum += int(b)
	}
	copy(head[148:], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
	if _, err := z.Write(head); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(z, zeros{}, 300<<20); err != nil {
		t.Fatal(err)
	}
	check(t, z.Close())
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// An import that skips problems lists what it leaves out.
func TestImportThatSkips(t *testing.T) {
	a, _ := startGuide(t)
	sendFile(t, a, "some.ndjson", []byte(basil+`{"type": "api::cuisine.cuisine", "data": {"nam": 1}}`))
	job := planHere(t, a, admin.ImportForm{Existing: "merge", SkipErrors: true})
	if job.Import == nil || job.Import.Skips != 1 || len(job.Import.Skipped) != 1 || !strings.HasPrefix(job.Import.Skipped[0], "some.ndjson, line 2: ") || job.Import.Taken[0].N != 1 {
		t.Errorf("the plan: %+v", job.Import)
	}
}

// A stopped import changes nothing, whenever it is stopped.
func TestImportIsStopped(t *testing.T) {
	a, _ := startGuide(t)
	a.log = slog.New(slog.DiscardHandler)
	sendFile(t, a, "lines", []byte(basil))
	job := planHere(t, a, admin.ImportForm{Existing: "replace"})
	ctx, stop := context.WithCancel(t.Context())
	in := a.admin.transfers.came.delivery
	step := importSteps{meter: new(archive.Meter), before: func() error { stop(); return nil }}
	if _, err := a.importWith(ctx, in, step); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before it: %v", err)
	}
	refused := errors.New("stopped")
	step = importSteps{meter: new(archive.Meter), ready: func() error { return refused }}
	if _, err := a.importWith(t.Context(), in, step); !errors.Is(err, refused) {
		t.Errorf("stopped at its end: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	a.admin.operation.alive = ended
	check(t, a.admin.transfers.Import(t.Context(), job.StartedAt))
	if job := a.admin.transfers.ended(t); job.Problem != admin.ProblemCancelled {
		t.Errorf("the import: %+v", job)
	}
	total(t, a, "basil", "0")
	addCuisine(t, a, "later")
	if got := remains(t, a); len(got) > 0 {
		t.Errorf("it left %s", got)
	}
}

// brokenReader ends too early.
type brokenReader struct{ from io.Reader }

func (r brokenReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// One file is kept at a time, until another operation begins, a user removes it, or the
// server starts again. An incomplete or empty file is not kept.
func TestFilesOfImports(t *testing.T) {
	a, _ := startGuide(t)
	a.log = slog.New(slog.DiscardHandler)
	if err := a.admin.transfers.Receive(t.Context(), "broken", brokenReader{strings.NewReader(basil)}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it breaks off: %v", err)
	}
	if err := a.admin.transfers.Receive(t.Context(), "empty", strings.NewReader("")); !errors.Is(err, admin.ErrEmpty) {
		t.Errorf("it is empty: %v", err)
	}
	if got := remains(t, a); len(got) > 0 {
		t.Errorf("they left %s", got)
	}
	sendFile(t, a, "one", []byte(basil))
	sendFile(t, a, "two", []byte(basil))
	if got := remains(t, a); len(got) != 1 || strings.Contains(got[0], "two") {
		t.Errorf("there are %s", got)
	}
	a.admin.transfers.job.Running = true
	busy := new(admin.BusyError)
	for what, err := range map[string]error{
		"another":   a.admin.transfers.Receive(t.Context(), "three", strings.NewReader(basil)),
		"a plan":    a.admin.transfers.PlanImport(t.Context(), admin.ImportForm{Existing: "merge"}),
		"an import": a.admin.transfers.Import(t.Context(), time.Now()),
		"removal":   a.admin.transfers.Discard(),
		"an export": a.admin.transfers.Export(t.Context(), admin.ExportForm{}),
	} {
		if !errors.As(err, &busy) {
			t.Errorf("%s: %v", what, err)
		}
	}
	a.admin.transfers.job.Running = false
	if err := a.admin.transfers.Discard(); err != nil {
		t.Error(err)
	}
	if err := a.admin.transfers.Discard(); !errors.Is(err, admin.ErrNoFile) {
		t.Errorf("twice: %v", err)
	}
	sendFile(t, a, "left", []byte(basil))
	check(t, a.mountAdmin())
	if got := remains(t, a); len(got) > 0 {
		t.Errorf("a start leaves %s", got)
	}
}
