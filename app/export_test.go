//go:build !noadmin

package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/admin"
)

// exportHere exports, and returns the contents of the file.
func exportHere(t *testing.T, a *App, what admin.ExportForm) (job *admin.Transfer, text []byte) {
	t.Helper()
	check(t, a.admin.transfers.Export(t.Context(), what))
	if job = a.admin.transfers.ended(t); job.Problem != "" {
		t.Fatalf("the export: %+v", job)
	}
	f, _, err := a.admin.transfers.Exported()
	check(t, err)
	defer f.Close()
	if text, err = io.ReadAll(f); err != nil {
		t.Fatal(err)
	}
	return job, text
}

// exported lists the files of exports.
func exported(t *testing.T, a *App) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(a.exports(), "*"))
	check(t, err)
	copies, err := filepath.Glob(filepath.Join(a.at.DataFolder(), "quire.db.copy-*"))
	check(t, err)
	return append(names, copies...)
}

// An export is the same as that of the command: an archive of everything, or lines of
// the chosen types. It reports its progress. One file is kept at a time.
func TestExportInTheAdmin(t *testing.T) {
	a, _ := startGuide(t)
	job, text := exportHere(t, a, admin.ExportForm{})
	if !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) || !strings.HasSuffix(job.File, ".tar.gz") || job.Bytes != int64(len(text)) {
		t.Errorf("the archive: %+v, %d bytes", job, len(text))
	}
	if job.Done == 0 || job.Total == 0 {
		t.Errorf("%d of %d entries", job.Done, job.Total)
	}
	job, text = exportHere(t, a, admin.ExportForm{Lines: true, Types: []string{"api::cuisine.cuisine"}})
	if !strings.HasSuffix(job.File, ".ndjson") || job.Done != job.Total || job.Done == 0 {
		t.Errorf("the lines: %+v", job)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `{"type":"api::cuisine.cuisine"`) {
			t.Errorf("a line of another type: %s", line)
		}
	}
	if got := exported(t, a); len(got) != 1 || filepath.Base(got[0]) != job.File {
		t.Errorf("there are %s", got)
	}
	a.admin.transfers.drop()
	if got := exported(t, a); len(got) > 0 {
		t.Errorf("removed, there are %s", got)
	}
	if _, _, err := a.admin.transfers.Exported(); !errors.Is(err, admin.ErrNoExport) {
		t.Errorf("removed, it opens: %v", err)
	}
	if err := a.admin.transfers.Export(t.Context(), admin.ExportForm{Lines: true, Types: []string{"plugin::users-permissions.user"}}); !errors.As(err, new(*admin.TypeNameError)) {
		t.Errorf("lines of users: %v", err)
	}
}

// A stopped export leaves nothing, and neither does a stopped server.
func TestExportIsStopped(t *testing.T) {
	a, _ := startGuide(t)
	a.log = slog.New(slog.DiscardHandler)
	ctx, end := context.WithCancel(t.Context())
	end()
	a.admin.operation.alive = ctx
	check(t, a.admin.transfers.Export(t.Context(), admin.ExportForm{Lines: true}))
	if job := a.admin.transfers.ended(t); job.Problem != admin.ProblemCancelled {
		t.Errorf("the export: %+v", job)
	}
	if got := exported(t, a); len(got) > 0 {
		t.Errorf("it left %s", got)
	}
	left := filepath.Join(a.exports(), "left.tar.gz")
	check(t, errors.Join(os.MkdirAll(a.exports(), 0o700), os.WriteFile(left, nil, 0o600)))
	check(t, a.mountAdmin())
	if got := exported(t, a); len(got) > 0 {
		t.Errorf("a start leaves %s", got)
	}
}
