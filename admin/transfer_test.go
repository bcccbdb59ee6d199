package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"quire/admin"
	"quire/content/audit"
)

// movedSite is Transfers of which nothing runs.
type movedSite struct {
	job  *admin.Transfer
	done []string
}

func (s *movedSite) Transfer() *admin.Transfer { return s.job }

func (s *movedSite) begin(ctx context.Context, kind admin.TransferKind, backup string) error {
	switch {
	case backup != "b.tar.zst":
		return admin.ErrNoBackup
	case s.job != nil:
		return &admin.BusyError{Transfer: *s.job}
	}
	s.job = &admin.Transfer{Kind: kind, File: backup, By: audit.Of(ctx).Name, Running: true, Phase: admin.PhaseRead}
	s.done = append(s.done, string(kind)+" by "+audit.Of(ctx).Name)
	return nil
}

func (s *movedSite) Look(ctx context.Context, backup string) error {
	return s.begin(ctx, admin.Looking, backup)
}

func (s *movedSite) Restore(ctx context.Context, backup string) error {
	return s.begin(ctx, admin.Restoring, backup)
}

func (s *movedSite) Export(ctx context.Context, what admin.ExportForm) error {
	if len(what.Types) > 0 && what.Types[0] != "api::restaurant.restaurant" {
		return &admin.TypeNameError{UID: what.Types[0]}
	}
	return s.begin(ctx, admin.Exporting, "b.tar.zst")
}

func (s *movedSite) Exported() (io.ReadSeekCloser, time.Time, error) {
	if s.job == nil || s.job.Kind != admin.Exporting {
		return nil, time.Time{}, admin.ErrNoExport
	}
	return closed{bytes.NewReader([]byte("all there is"))}, time.Unix(1, 0), nil
}

func (s *movedSite) Receive(ctx context.Context, name string, file io.Reader) error {
	text, err := io.ReadAll(file)
	switch {
	case err != nil:
		return err
	case len(text) == 0:
		return admin.ErrEmpty
	case string(text) == "full":
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	case s.job != nil && s.job.Running:
		return &admin.BusyError{Transfer: *s.job}
	}
	s.job = &admin.Transfer{Kind: admin.Receiving, File: name, Size: int64(len(text)), Phase: admin.PhaseDone}
	s.done = append(s.done, "receive by "+audit.Of(ctx).Name)
	return nil
}

func (s *movedSite) Discard() error {
	if s.job == nil {
		return admin.ErrNoFile
	}
	s.job = nil
	return nil
}

func (s *movedSite) PlanImport(ctx context.Context, how admin.ImportForm) error {
	if s.job == nil {
		return admin.ErrNoFile
	}
	if how.Key != "" {
		return admin.ErrKeyUnused
	}
	s.job = &admin.Transfer{Kind: admin.Planning, StartedAt: time.Unix(7, 0).UTC()}
	s.done = append(s.done, "plan by "+audit.Of(ctx).Name)
	return nil
}

func (s *movedSite) Import(ctx context.Context, planned time.Time) error {
	if s.job == nil || !s.job.StartedAt.Equal(planned) {
		return admin.ErrNoPlan
	}
	s.job = &admin.Transfer{Kind: admin.Importing, Running: true, By: audit.Of(ctx).Name}
	s.done = append(s.done, "import by "+audit.Of(ctx).Name)
	return nil
}

func (s *movedSite) Cancel() error {
	if s.job == nil {
		return admin.ErrTooLate
	}
	s.job = nil
	return nil
}

// What is done with the data as a whole is for owners alone, of whatever role the others are.
func TestTransfersAreForOwners(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	others := []*client{v.operator()}
	for _, role := range []string{"developer", "editor", "author", "reader"} {
		_, one := v.addAccount(role, role)
		others = append(others, one)
	}
	good := `{"backup":"b.tar.zst","site":"example.com","password":"` + secret + `"}`
	for _, r := range [][3]string{
		{"GET", "/transfer", ""}, {"DELETE", "/transfer", ""},
		{"POST", "/transfer/look", `{"backup":"b.tar.zst"}`}, {"POST", "/transfer/restore", good},
		{"POST", "/transfer/export", `{}`}, {"GET", "/transfer/export", ""},
		{"POST", "/transfer/file?name=a.tar", "x"}, {"DELETE", "/transfer/file", ""},
		{"POST", "/transfer/plan", `{"existing":"merge"}`}, {"POST", "/transfer/import", `{"planned":"2026-01-01T00:00:00Z","site":"example.com","password":"` + secret + `"}`},
	} {
		o.client().want(401, r[0], r[1], r[2])
		for _, one := range others {
			one.want(403, r[0], r[1], r[2])
		}
		if r[0] != "GET" {
			v.want(403, r[0], r[1], r[2], "X-Quire-Admin", "-")
			v.want(403, r[0], r[1], r[2], "Sec-Fetch-Site", "cross-site")
			v.want(403, r[0], r[1], r[2], "Sec-Fetch-Site", "same-site")
		}
	}
	if len(o.transfers.done) > 0 {
		t.Fatalf("begun by those who may not: %s", o.transfers.done)
	}
}

// Restoring takes a second look: the name of the site and the password again, and a code
// where there is a second factor.
func TestRestoreTakesASecondLook(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	if site := v.want(200, "GET", "/transfer", "").text("data.site"); site != "example.com" {
		t.Fatalf("the site is called %s", site)
	}
	for body, key := range map[string]string{
		`{"backup":"b.tar.zst","password":"` + secret + `"}`:                               "site",
		`{"backup":"b.tar.zst","site":"another","password":"` + secret + `"}`:              "site",
		`{"backup":"b.tar.zst","site":"example.com"}`:                                      "password",
		`{"backup":"b.tar.zst","site":"example.com","password":"wrong"}`:                   "password",
		`{"backup":"b.tar.zst","site":"example.com","password":"` + secret + `","x":true}`: "x",
		`{"backup":7,"site":"example.com"}`:                                                "backup",
	} {
		if a := v.want(400, "POST", "/transfer/restore", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	v.want(404, "POST", "/transfer/restore", `{"backup":"../quire.db","site":"example.com","password":"`+secret+`"}`)
	v.want(404, "POST", "/transfer/look", `{"backup":"../quire.db"}`)
	if len(o.transfers.done) > 0 {
		t.Fatalf("it has begun: %s", o.transfers.done)
	}
	good := `{"backup":"b.tar.zst","site":" Example.com ","password":"` + secret + `"}`
	if a := v.want(202, "POST", "/transfer/restore", good); a.text("data.phase") != "read" {
		t.Errorf("it begins: %s", a.body)
	}
	a := v.want(409, "POST", "/transfer/look", `{"backup":"b.tar.zst"}`)
	if !strings.Contains(a.body, "A backup is being restored, which ana@example.org has begun") || a.text("error.details.kind") != "restore" {
		t.Errorf("two at once: %s", a.body)
	}
	if a := v.want(200, "GET", "/transfer", ""); a.text("data.job.running") != "true" || a.text("data.job.by") != "ana@example.org" {
		t.Errorf("while it runs: %s", a.body)
	}
	v.want(204, "DELETE", "/transfer", "")
	v.want(409, "DELETE", "/transfer", "")
}

// A code of the second factor is asked for where there is one.
func TestRestoreTakesACode(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	app := v.arm()
	body := `{"backup":"b.tar.zst","site":"example.com","password":"` + secret + `"}`
	v.want(400, "POST", "/transfer/restore", body)
	v.want(400, "POST", "/transfer/restore", strings.Replace(body, `}`, `,"code":"000000"}`, 1))
	v.want(202, "POST", "/transfer/restore", strings.Replace(body, `}`, `,"code":"`+app.code()+`"}`, 1))
}

// An export is begun with what is to be in it, and taken along by owners, which is noted.
func TestExportIsTakenAlong(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(404, "GET", "/transfer/export", "")
	many := `{"lines":true,"types":["` + strings.Repeat(`x","`, 1000) + `x"]}`
	for _, body := range []string{`{"types":["api::restaurant.restaurant"]}`, `{"lines":true,"types":["api::none.none"]}`, many} {
		if a := v.want(400, "POST", "/transfer/export", body); a.text("error.details.key") != "types" {
			t.Errorf("%.60s: %s", body, a.body)
		}
	}
	v.want(202, "POST", "/transfer/export", `{"lines":true,"types":["api::restaurant.restaurant"]}`)
	a := v.want(200, "GET", "/transfer/export", "")
	if a.body != "all there is" || a.header.Get("Content-Disposition") != `attachment; filename="b.tar.zst"` || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("taken along: %v %s", a.header, a.body)
	}
	if part := v.want(206, "GET", "/transfer/export", "", "Range", "bytes=0-2"); part.body != "all" {
		t.Errorf("a part: %s", part.body)
	}
	noted := 0
	for _, e := range o.lines() {
		if e.Action == "data.download" && e.Target.Type == "export" {
			noted++
		}
	}
	if noted != 2 {
		t.Errorf("%d lines of two downloads", noted)
	}
}
