package follow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"quire/test/program"
)

// vault is a server that stores the streams of others.
type vault struct {
	t       *testing.T
	site    string
	address string
	token   string // may store streams
	server  *program.Server
}

// newVault starts a server that stores some streams, with a bound on the bytes of each.
func newVault(t *testing.T, bytes int, names ...string) *vault {
	t.Helper()
	v := &vault{t: t, site: program.NewSite(t), address: program.FreeAddress(t)}
	name := filepath.Join(v.site, "site.json")
	text, err := os.ReadFile(name)
	check(t, err)
	var settings map[string]any
	check(t, json.Unmarshal(text, &settings))
	settings["streams"] = map[string]any{"names": names, "bytes": bytes}
	text, err = json.Marshal(settings)
	check(t, err)
	check(t, os.WriteFile(name, text, 0o600))
	v.token = strings.TrimSpace(program.Succeed(t, "token", "create", "--name", "streams", "--type", "custom", "--permission", "plugin::quire.streams.write", v.site))
	v.start()
	return v
}

func (v *vault) start() {
	v.t.Helper()
	v.server = program.Start(v.t, program.New(v.t, "serve", "--listen", v.address, v.site))
}

// target is what site.json says about a stream there.
func (v *vault) target(name, token string) map[string]any {
	v.t.Helper()
	file := filepath.Join(v.t.TempDir(), "stream.token")
	check(v.t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	return map[string]any{"server": "http://" + v.address + "/" + name, "tokenFile": file}
}

// ask sends a request about the streams, with headers in pairs.
func (v *vault) ask(method, path, token, body string, headers ...string) answer {
	v.t.Helper()
	r, err := http.NewRequest(method, "http://"+v.address+"/api/_streams/"+path, strings.NewReader(body))
	check(v.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	check(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(v.t, err)
	return answer{response.StatusCode, response.Header, string(text)}
}

func (v *vault) put(name, body string) int {
	v.t.Helper()
	return v.ask("PUT", name, v.token, body, "If-None-Match", "*").status
}

// A stream to another server is like one to a folder: it survives that the other is killed, every
// moment of it is listed, checked and restored, and a leader that was killed is replaced through
// it.
func TestAStreamToAnotherServer(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1<<30, "target")
	p := newPair(t, nil)
	p.streamTo(v.target("target", v.token))
	p.startFollower()
	first := p.newCook(p.at, "first")
	p.awaitSent(p.site)
	v.server.Kill()
	second := p.newCook(p.at, "while the other server is away")
	v.start()
	p.awaitSent(p.site)
	var list struct {
		Ranges []struct{ Of, From, To string }
	}
	check(t, json.Unmarshal([]byte(program.Succeed(t, "restore", "--list", "--json", p.site)), &list))
	if len(list.Ranges) != 1 {
		t.Fatalf("there can be restored: %+v", list)
	}
	program.Succeed(t, "restore", "--check", p.site)
	p.leader.Kill()
	check(t, os.Remove(filepath.Join(p.site, "data", "quire.sock"))) // which cannot be copied
	if out := program.Succeed(t, "promote", p.copy); !strings.Contains(out, "its stream was ended") {
		t.Errorf("promote prints %s", out)
	}
	await(t, "the new leader takes writes", func() bool {
		a, err := p.ask("POST", p.at, "/api/cooks", p.token, `{"data": {"name": "at the new leader"}}`)
		return err == nil && a.status == 201
	})
	third := p.newCook(p.at, "third")
	p.awaitSent(p.copy)
	p.requireRestored(map[string]bool{first: true, second: true, third: true}, "latest")
	p.requireRestored(map[string]bool{first: false, second: false, third: false}, list.Ranges[0].From)
	p.requireRestored(map[string]bool{first: true, second: true, third: false}, list.Ranges[0].To)
}

// Whoever may not store streams gets nothing, and no stream that site.json does not name is there.
func TestRightsToStoreStreams(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1<<30, "guide")
	all := program.NewToken(t, v.site, "all", "full-access")
	other := strings.TrimSpace(program.Succeed(t, "token", "create", "--name", "other", "--type", "custom", "--permission", "plugin::quire.follow.read", v.site))
	if status := v.put("guide/a", "one"); status != 201 {
		t.Fatalf("an object is not stored: %d", status)
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		for token, want := range map[string]int{"": 401, "wrong": 401, all: 403, other: 403} {
			for _, path := range []string{"guide", "guide/a"} {
				if path == "guide" && method != "GET" && method != "HEAD" {
					continue
				}
				if a := v.ask(method, path, token, "", "If-None-Match", "*"); a.status != want && !(token == "" && a.status == 403) {
					t.Errorf("%s %s with %q: %d %s, want %d", method, path, token, a.status, a.body, want)
				}
			}
		}
		if a := v.ask(method, "shop/a", v.token, "", "If-None-Match", "*"); a.status != 403 || method != "HEAD" && !strings.Contains(a.body, "streams.names") {
			t.Errorf("%s of a stream that site.json does not name: %d %s", method, a.status, a.body)
		}
	}
	if a := v.ask("GET", "guide/a", v.token, ""); a.status != 200 || a.body != "one" {
		t.Errorf("somebody has changed it: %d %s", a.status, a.body)
	}
	p := newPair(t, nil)
	p.streamTo(v.target("guide", "wrong"))
	await(t, "a wrong token is reported", func() bool {
		return strings.Contains(program.Succeed(t, "status", "--json", p.site), "does not know the token in backup.stream.tokenFile (401)")
	})
}

// An object is stored once and whole, under a name that leads nowhere else.
func TestObjectsOfAStoredStream(t *testing.T) {
	t.Parallel()
	v := newVault(t, 1<<30, "guide")
	if a := v.ask("PUT", "guide/a", v.token, "one"); a.status != 428 || !strings.Contains(a.body, "If-None-Match") {
		t.Errorf("without a condition: %d %s", a.status, a.body)
	}
	stored := map[int]int{}
	var mu sync.Mutex
	var writers sync.WaitGroup
	for n := range 8 {
		writers.Go(func() {
			status := v.put("guide/a", strings.Repeat(fmt.Sprint(n), 100_000))
			mu.Lock()
			defer mu.Unlock()
			stored[status]++
		})
	}
	writers.Wait()
	if stored[201] != 1 || stored[412] != 7 {
		t.Errorf("of eight writers to one name: %v", stored)
	}
	if a := v.ask("GET", "guide/a", v.token, "", "Range", "bytes=99990-"); a.status != 206 || len(a.body) != 10 || strings.Count(a.body, a.body[:1]) != 10 {
		t.Errorf("a part of it: %d %q", a.status, a.body)
	}
	for _, name := range []string{"..", ".", ".hidden", "%2e%2e", "..%2f..%2fquire.db", "%2Fetc%2Fpasswd", "a%00b", "a%5Cb", "a/b", "ä", strings.Repeat("a", 300)} {
		if status := v.put("guide/"+name, "x"); status != 400 && status != 404 && status != 405 && status != 403 && status/100 != 3 {
			t.Errorf("the name %s: %d", name, status)
		}
		if a := v.ask("GET", "guide/"+name, v.token, ""); a.status == 200 && !json.Valid([]byte(a.body)) {
			t.Errorf("the name %s shows %s", name, a.body)
		}
	}
	conn, err := net.Dial("tcp", v.address)
	check(t, err)
	fmt.Fprintf(conn, "PUT /api/_streams/guide/cut HTTP/1.1\r\nHost: vault\r\nAuthorization: Bearer %s\r\nIf-None-Match: *\r\nContent-Length: 1000\r\n\r\nonly this", v.token)
	check(t, conn.(*net.TCPConn).CloseWrite())
	_, err = io.ReadAll(conn)
	check(t, err)
	check(t, conn.Close())
	if names := v.names(); len(names) != 1 || names["a"] != 100_000 {
		t.Errorf("the stream has %v", names)
	}
	files, err := os.ReadDir(filepath.Join(v.site, "data", "streams"))
	check(t, err)
	if len(files) != 1 {
		t.Errorf("there are %v", files)
	}
}

// names lists what the vault has of the stream guide.
func (v *vault) names() map[string]int {
	v.t.Helper()
	var list []struct {
		Name string
		Size int
	}
	check(v.t, json.Unmarshal([]byte(v.ask("GET", "guide", v.token, "").body), &list))
	names := map[string]int{}
	for _, o := range list {
		names[o.Name] = o.Size
	}
	return names
}

// A stream takes as much as site.json allows, also after the server was killed while it received
// something.
func TestAStoredStreamIsBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	v := newVault(t, most, "guide")
	half := string(bytes.Repeat([]byte("h"), most/2))
	for name, want := range map[string]int{"a": 201, "b": 201} {
		if status := v.put("guide/"+name, half); status != want {
			t.Errorf("%s: %d", name, status)
		}
	}
	full := func() {
		t.Helper()
		if a := v.ask("PUT", "guide/c", v.token, "c", "If-None-Match", "*"); a.status != 507 || !strings.Contains(a.body, "guide may have 1048576 bytes") {
			t.Errorf("a stream that is full: %d %s", a.status, a.body)
		}
	}
	full()
	if a := v.ask("DELETE", "guide/a", v.token, ""); a.status != 204 {
		t.Errorf("an object is not removed: %d %s", a.status, a.body)
	}
	if a := v.ask("DELETE", "guide/a", v.token, ""); a.status != 404 {
		t.Errorf("an object that is gone: %d %s", a.status, a.body)
	}
	conn, err := net.Dial("tcp", v.address)
	check(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "PUT /api/_streams/guide/cut HTTP/1.1\r\nHost: vault\r\nAuthorization: Bearer %s\r\nIf-None-Match: *\r\nContent-Length: %d\r\n\r\nonly this", v.token, most/2)
	folder := filepath.Join(v.site, "data", "streams", "guide")
	await(t, "an object arrives", func() bool {
		files, err := os.ReadDir(folder)
		return err == nil && len(files) == 2
	})
	full() // the space is promised
	v.server.Kill()
	v.start()
	if status := v.put("guide/d", half); status != 201 {
		t.Errorf("a server that was killed has no space for what did not arrive: %d", status)
	}
	full()
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("there are %v, %v", files, err)
	}
}
