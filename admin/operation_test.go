package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/content/audit"
)

// aidedSite is an Operation of which nothing runs.
type aidedSite struct {
	made    []string
	removed []string
	busy    bool
}

func (s *aidedSite) Status() (any, error) {
	return map[string]any{"dataFile": "quire.db", "server": map[string]any{"version": "quire v1"}}, nil
}

func (s *aidedSite) Node() string { return "east" }

func (s *aidedSite) Series() admin.Series {
	return admin.Series{Seconds: 10, Samples: []admin.Sample{{At: time.Unix(1, 0).UTC(), Requests: 1.5}}}
}

func (s *aidedSite) Backups() ([]admin.Backup, error) {
	return []admin.Backup{{Name: "b.tar.zst", MadeAt: time.Unix(1, 0).UTC(), Bytes: 12}}, nil
}

func (s *aidedSite) MakeBackup(ctx context.Context) error {
	if s.busy {
		return admin.ErrBackupUnderWay
	}
	s.made, s.busy = append(s.made, audit.Of(ctx).Name), true
	return nil
}

func (s *aidedSite) UnderWay() *admin.BackupJob {
	if !s.busy {
		return nil
	}
	return &admin.BackupJob{Running: true, StartedAt: time.Unix(1, 0).UTC()}
}

type closed struct{ *bytes.Reader }

func (closed) Close() error { return nil }

func (s *aidedSite) OpenBackup(name string) (io.ReadSeekCloser, time.Time, error) {
	if name != "b.tar.zst" {
		return nil, time.Time{}, admin.ErrNoBackup
	}
	return closed{bytes.NewReader([]byte("what is kept"))}, time.Unix(1, 0), nil
}

func (s *aidedSite) RemoveBackup(_ context.Context, name string) error {
	if name != "b.tar.zst" {
		return admin.ErrScheduled
	}
	s.removed = append(s.removed, name)
	return nil
}

// operator makes an account that may change settings, and is no owner.
func (v *client) operator() *client {
	v.t.Helper()
	role := v.want(201, "POST", "/roles", `{"name":"Operators","rights":{"site":["settings"]}}`).text("data.id")
	_, them := v.addAccount("otto", role)
	return them
}

// Those who may change settings see how the site runs and make backups; what a backup
// holds is for owners alone.
func TestOperation(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	otto := v.operator()
	_, eve := v.addAccount("eve", "editor")
	for _, path := range []string{"/status", "/status/series", "/slow-requests", "/backups"} {
		otto.want(200, "GET", path, "")
		v.want(200, "GET", path, "")
		eve.want(403, "GET", path, "")
		o.client().want(401, "GET", path, "")
	}
	otto.want(202, "POST", "/backups", "")
	if a := otto.want(409, "POST", "/backups", ""); !strings.Contains(a.body, "wait until it is done") {
		t.Errorf("a second one: %s", a.body)
	}
	if fmt.Sprint(o.operation.made) != "[otto@example.org]" {
		t.Errorf("made by %s", o.operation.made)
	}
	if a := otto.want(200, "GET", "/backups", ""); a.text("meta.job.running") != "true" || a.text("meta.node") != "east" || !strings.Contains(a.body, "b.tar.zst") {
		t.Errorf("the list: %s", a.body)
	}
	for _, path := range []string{"/backups/b.tar.zst"} {
		otto.want(403, "GET", path, "")
		otto.want(403, "DELETE", path, "")
		eve.want(403, "GET", path, "")
		o.client().want(401, "GET", path, "")
		v.want(403, "DELETE", path, "", "X-Quire-Admin", "-")
		v.want(403, "DELETE", path, "", "Sec-Fetch-Site", "cross-site")
		v.want(403, "POST", "/backups", "", "Sec-Fetch-Site", "same-site")
	}
	if len(o.operation.removed) > 0 {
		t.Fatalf("removed by those who may not: %s", o.operation.removed)
	}
	all := v.want(200, "GET", "/backups/b.tar.zst", "")
	if all.body != "what is kept" || all.header.Get("Content-Disposition") != `attachment; filename="b.tar.zst"` || all.header.Get("Cache-Control") != "no-store" {
		t.Errorf("downloaded: %v %s", all.header, all.body)
	}
	if part := v.want(206, "GET", "/backups/b.tar.zst", "", "Range", "bytes=5-6"); part.body != "is" {
		t.Errorf("a part: %s", part.body)
	}
	v.want(404, "GET", "/backups/none.tar.zst", "")
	v.want(409, "DELETE", "/backups/other.tar.zst", "")
	v.want(204, "DELETE", "/backups/b.tar.zst", "")
	downloads := 0
	for _, e := range o.lines() {
		if e.Action == "data.download" && e.By.Name == "ana@example.org" && e.Target.Name == "b.tar.zst" {
			downloads++
		}
	}
	if downloads != 2 {
		t.Errorf("%d downloads are in the audit log", downloads)
	}
}

// slowLine counts how often a client got more time to take an answer.
type slowLine struct {
	*httptest.ResponseRecorder
	more int
}

func (l *slowLine) SetWriteDeadline(time.Time) error { l.more++; return nil }

// What is large takes as long as it moves: it is not broken off after the time of an answer.
func TestLargeAnswersTakeTheirTime(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for path, large := range map[string]bool{"/backups/b.tar.zst": true, "/audit/export": true, "/backups": false} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", admin.APIPath+path, nil)
		r.Header.Set("Cookie", "quire_admin="+v.cookie)
		line := &slowLine{ResponseRecorder: httptest.NewRecorder()}
		o.handler.ServeHTTP(line, r)
		if line.Code != 200 || line.Body.Len() == 0 || line.more > 0 != large {
			t.Errorf("%s: %d, %d bytes, more time %d times", path, line.Code, line.Body.Len(), line.more)
		}
	}
}

// What took long is listed with its plan, which names attributes: owners alone see it.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"log": { "slowMs": 1 }, "limits": { "heavyQueries": 4 }, "auth": {`)
	v := o.owner()
	otto := v.operator()
	for range 40 { // a search for one letter reads all 8 MB of text
		v.want(201, "POST", "/content/chefs", `{"data":{"name":"Ada","bio":"`+strings.Repeat("Long text. ", 18<<10)+`"}}`)
	}
	v.want(200, "GET", "/content/chefs?filters[bio][$containsi]=%C2%A7&populate=*", "")
	a := v.want(200, "GET", "/slow-requests", "")
	if a.text("meta.fromSeconds") != "0.001" || !strings.Contains(a.body, `"plan":["`) || strings.Contains(a.body, "§") {
		t.Errorf("for an owner: %.2000s", a.body)
	}
	if b := otto.want(200, "GET", "/slow-requests", ""); !strings.Contains(b.body, `"plan":[]`) || strings.Contains(b.body, `"plan":["`) {
		t.Errorf("for others: %.2000s", b.body)
	}
}
