package admin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What an import takes is checked before anything is done with it, and what its key is
// stands in no answer.
func TestImportForms(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(409, "POST", "/transfer/plan", `{"existing":"merge"}`)
	v.want(409, "DELETE", "/transfer/file", "")
	for _, query := range []string{"", "?name=", "?name=a%0Ab", "?name=%FF", "?name=" + strings.Repeat("x", 256)} {
		if a := v.want(400, "POST", "/transfer/file"+query, "x"); a.text("error.details.key") != "name" {
			t.Errorf("%.20q: %s", query, a.body)
		}
	}
	v.want(400, "POST", "/transfer/file?name=a", "")
	if a := v.want(507, "POST", "/transfer/file?name=a", "full"); !strings.Contains(a.body, "not enough space on the disk") {
		t.Errorf("full disk: %s", a.body)
	}
	if a := v.want(201, "POST", "/transfer/file?name=../a.tar", "lines"); a.text("data.size") != "5" || a.text("data.kind") != "receive" {
		t.Errorf("sent: %s", a.body)
	}
	for body, key := range map[string]string{
		`{}`:                 "existing",
		`{"existing":"all"}`: "existing",
		`{"existing":"merge","key":"a key of some"}`:                     "key",
		`{"existing":"merge","key":"` + strings.Repeat("x", 1001) + `"}`: "key",
		`{"existing":"merge","file":"/etc/passwd"}`:                      "file",
	} {
		if a := v.want(400, "POST", "/transfer/plan", body); a.text("error.details.key") != key || strings.Contains(a.body, "a key of some") {
			t.Errorf("%.60s: %s", body, a.body)
		}
	}
}

// Importing takes the second look that restoring takes, at what was looked at last.
func TestImportTakesASecondLook(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(201, "POST", "/transfer/file?name=a.tar", "lines")
	v.want(202, "POST", "/transfer/plan", `{"existing":"merge"}`)
	planned := v.want(200, "GET", "/transfer", "").text("data.job.startedAt")
	good := `{"planned":"` + planned + `","site":"example.com","password":"` + secret + `"}`
	for body, key := range map[string]string{
		strings.Replace(good, planned, "soon", 1):        "planned",
		strings.Replace(good, "example.com", "other", 1): "site",
		strings.Replace(good, secret, "wrong", 1):        "password",
		strings.Replace(good, `"planned"`, `"plan"`, 1):  "plan",
	} {
		if a := v.want(400, "POST", "/transfer/import", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	v.want(409, "POST", "/transfer/import", strings.Replace(good, planned, "2026-01-01T00:00:00Z", 1))
	v.want(202, "POST", "/transfer/import", good)
	if a := v.want(409, "POST", "/transfer/file?name=b", "x"); a.text("error.details.kind") != "import" {
		t.Errorf("two at once: %s", a.body)
	}
	armed := openAdmin(t)
	w := armed.owner()
	app := w.arm()
	w.want(201, "POST", "/transfer/file?name=a.tar", "lines")
	w.want(202, "POST", "/transfer/plan", `{"existing":"merge"}`)
	w.want(400, "POST", "/transfer/import", good)
	w.want(202, "POST", "/transfer/import", strings.Replace(good, `}`, `,"code":"`+app.code()+`"}`, 1))
}

// A file has a bound, whatever its length says.
func TestImportIsBounded(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"limits": { "importBytes": 10 }, "auth": {`)
	v := o.owner()
	v.want(201, "POST", "/transfer/file?name=a", "0123456789")
	v.want(413, "POST", "/transfer/file?name=a", "0123456789a")
	real := httptest.NewServer(o.handler)
	defer real.Close()
	body := io.LimitReader(strings.NewReader(strings.Repeat("x", 1000)), 1000) // in one write: the rest of a longer one may meet a closed connection
	r, err := http.NewRequestWithContext(t.Context(), "POST", real.URL+"/admin/api/v1/transfer/file?name=a", body)
	check(t, err)
	r.Header.Set("X-Quire-Admin", "1")
	r.Header.Set("Cookie", "quire_admin="+v.cookie)
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != 413 {
		t.Errorf("of unknown length: %d", answer.StatusCode)
	}
	if len(o.transfers.done) != 1 {
		t.Errorf("taken: %s", o.transfers.done)
	}
}
