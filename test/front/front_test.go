package front

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

// burst is how many requests an address may send at once.
const burst = 40

// front is a site behind another program.
type front struct {
	t      *testing.T
	url    string // of the program in front
	direct string // of Quire
	token  string
}

// TestNginx and TestCaddy: everything that clients do works through the program in front.
func TestNginx(t *testing.T) {
	f := newFront(t, "nginx")
	folder := t.TempDir()
	certificate(t, folder)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(f.url, "https://"))
	config := changed(t, "nginx.conf",
		"127.0.0.1:1337", strings.TrimPrefix(f.direct, "http://"), "listen 443 ssl", "listen 127.0.0.1:"+port+" ssl",
		"/etc/ssl/guide.pem", folder+"/cert.pem", "/etc/ssl/private/guide.key", folder+"/key.pem")
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, folder, kind)
	}
	whole := fmt.Sprintf("daemon off;\nmaster_process off;\npid %[1]s/pid;\nerror_log %[1]s/log;\nevents {}\nhttp {\naccess_log off;\n%[2]s%[3]s}\n", folder, temporary, config)
	path := write(t, folder, "whole.conf", whole)
	f.run(exec.Command("nginx", "-c", path, "-e", folder+"/log"))
	f.behaves()
}

func TestCaddy(t *testing.T) {
	f := newFront(t, "caddy")
	folder := t.TempDir()
	certificate(t, folder)
	config := changed(t, "Caddyfile", "127.0.0.1:1337", strings.TrimPrefix(f.direct, "http://"),
		"guide.example.org {", f.url+" {\n\ttls "+folder+"/cert.pem "+folder+"/key.pem")
	// The test has no name of its own and must not ask for a certificate. HTTP/3 would need the
	// UDP port, which FreeAddress holds.
	path := write(t, folder, "Caddyfile", "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n"+config)
	c := exec.Command("caddy", "run", "--adapter", "caddyfile", "--config", path)
	c.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	f.run(c)
	f.behaves()
}

// newFront serves a site that trusts what is in front of it, or skips the test.
func newFront(t *testing.T, needs string) *front {
	t.Helper()
	program.Find(t, needs)
	site := program.NewGuide(t)
	f := &front{t: t, url: "https://" + program.FreeAddress(t), token: program.NewToken(t, site, "front", "full-access")}
	path := filepath.Join(site, "site.json")
	text, err := os.ReadFile(path)
	check(t, err)
	var config map[string]any
	check(t, json.Unmarshal(text, &config))
	config["url"] = f.url
	config["auth"] = map[string]any{"trustedProxies": []string{"127.0.0.1"}}
	config["rateLimit"] = map[string]any{"max": burst, "interval": "24h", "burst": burst}
	if text, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}
	write(t, site, "site.json", string(text))
	f.direct = program.Serve(t, site).URL
	return f
}

// run runs the program in front until the test ends, and waits until it accepts
// connections.
func (f *front) run(c *exec.Cmd) {
	f.t.Helper()
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	check(f.t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	f.t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		<-ended
		if f.t.Failed() {
			f.t.Logf("%s", log.String())
		}
	})
	for {
		if response, err := f.from("127.0.0.9").Get(f.url + "/_ready"); err == nil {
			response.Body.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			f.t.Fatalf("it ended: %v\n%s", err, log.String())
		default:
		}
	}
}

// from is a client with an address of its own.
func (f *front) from(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// do sends a request and returns the response with its body read.
func (f *front) do(client *http.Client, method, path string, body io.Reader, headers ...string) (*http.Response, string) {
	f.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = f.url + path
	}
	r, err := http.NewRequest(method, path, body)
	check(f.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	check(f.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(f.t, err)
	return response, string(text)
}

// behaves asks everything of the site that depends on what is in front of it.
func (f *front) behaves() {
	f.t.Helper()
	f.readsTheSame()
	f.streams()
	f.uploads()
	f.knowsItsClients()
}

// readsTheSame: a read has the same bytes and the same ETag, with which it is not sent
// again.
func (f *front) readsTheSame() {
	f.t.Helper()
	client, path := f.from("127.0.0.2"), "/api/restaurants?populate=*&filters[name][$containsi]=blue"
	_, want := f.do(client, "GET", f.direct+path, nil)
	got, body := f.do(client, "GET", path, nil)
	if got.StatusCode != http.StatusOK || body != want {
		f.t.Errorf("%s\n%s\nwant\n%s", got.Status, body, want)
	}
	if again, _ := f.do(client, "GET", path, nil, "If-None-Match", got.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		f.t.Errorf("with its ETag %q: %s", got.Header.Get("ETag"), again.Status)
	}
}

// streams: a change reaches a listener while its stream stays open.
func (f *front) streams() {
	f.t.Helper()
	client := f.from("127.0.0.3")
	r, err := http.NewRequest("GET", f.url+"/api/_events?types=cuisines", nil)
	check(f.t, err)
	r.Header.Set("Authorization", "Bearer "+f.token)
	response, err := client.Do(r)
	check(f.t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	if !lines.Scan() { // so that the stream is open
		f.t.Fatalf("%s, and nothing in it: %v", response.Status, lines.Err())
	}
	f.do(f.from("127.0.0.3"), "POST", "/api/cuisines", strings.NewReader(`{"data": {"name": "Soup"}}`), "Authorization", "Bearer "+f.token, "Content-Type", "application/json")
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), "api::cuisine.cuisine") {
			return
		}
	}
	f.t.Errorf("the stream ended without the change: %v", lines.Err())
}

// uploads: a file of a few megabytes arrives, which is more than nginx takes by default.
func (f *front) uploads() {
	f.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("files", "long.txt")
	check(f.t, err)
	part.Write(bytes.Repeat([]byte("a line of text\n"), 300_000))
	form.Close()
	response, text := f.do(f.from("127.0.0.4"), "POST", "/api/upload", &body, "Authorization", "Bearer "+f.token, "Content-Type", form.FormDataContentType())
	if response.StatusCode != http.StatusCreated {
		f.t.Errorf("%s: %s", response.Status, text)
	}
}

// knowsItsClients: each address has its own rate, and none gets another one by what it
// says about itself.
func (f *front) knowsItsClients() {
	f.t.Helper()
	client, status := f.from("127.0.0.5"), 0
	for i := range burst + 1 {
		response, _ := f.do(client, "GET", "/api/cuisines", nil, "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i))
		status = response.StatusCode
	}
	if status != http.StatusTooManyRequests {
		f.t.Errorf("request %d of one address: %d", burst+1, status)
	}
	if other, _ := f.do(f.from("127.0.0.6"), "GET", "/api/cuisines", nil); other.StatusCode != http.StatusOK {
		f.t.Errorf("another address: %s", other.Status)
	}
}

// changed is a file of deploy/front with other texts in place of some, each of which it
// has.
func changed(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	content, err := os.ReadFile("../../deploy/front/" + name)
	check(t, err)
	text := string(content)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s has no %s", name, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
