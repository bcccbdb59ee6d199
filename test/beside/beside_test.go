package beside

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

const examples = "../../examples/beside"

// languages are the examples, and how each is started.
var languages = map[string]func(t *testing.T) *exec.Cmd{
	"javascript": func(t *testing.T) *exec.Cmd {
		return exec.Command(program.Find(t, "node"), examples+"/javascript/server.mjs")
	},
	"python": func(t *testing.T) *exec.Cmd {
		return exec.Command(program.Find(t, "python3"), examples+"/python/server.py")
	},
	"go": func(t *testing.T) *exec.Cmd {
		built := filepath.Join(t.TempDir(), "beside")
		c := exec.Command("go", "build", "-o", built, examples+"/go")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return exec.Command(built)
	},
}

// An example refuses and changes what is written, and answers its own path; while it is
// down nothing is written, and when it is back everything goes on.
func TestExamples(t *testing.T) {
	for language, command := range languages {
		t.Run(language, func(t *testing.T) {
			s := newSite(t)
			start := s.example(command(t))
			stop := start()
			s.expect("POST", "/api/reservations", `{"data": {"name": " ana ", "guests": 3}}`, 201, `"name":"ANA"`)
			s.expect("POST", "/api/reservations", `{"data": {"name": "eve", "guests": 9}}`, 400, `"message":"A table has 8 seats","details":{"seats":8}`)
			s.expect("POST", "/api/reservations", `{"data": {"guests": "9"}}`, 400, `"message":"A table has 8 seats"`)
			id := s.expect("POST", "/api/reservations", `{"data": {"guests": null}}`, 201, `"guests":null`)
			s.expect("POST", "/api/reservations/"+id+"/actions/duplicate", "", 201, `"guests":null`)
			s.expect("GET", "/api/reserve/free", "", 200, `5`)
			s.expect("GET", "/api/reserve/nothing", "", 404, "")
			s.unsigned()
			token := s.token
			s.token = ""
			s.expect("GET", "/api/reserve/free", "", 403, `Forbidden`)
			s.token = token
			stop()
			s.expect("POST", "/api/reservations", `{"data": {"name": "eve", "guests": 1}}`, 503, `could not be asked`)
			s.expect("GET", "/api/reserve/free", "", 502, `BadGatewayError`)
			defer start()()
			s.expect("POST", "/api/reservations", `{"data": {"name": "eve", "guests": 1}}`, 201, `"name":"EVE"`)
			s.expect("GET", "/api/reserve/free", "", 200, `4`)
		})
	}
}

// site is one that is served, with a program beside it.
type site struct {
	*testing.T
	url, beside, token, secret string
}

const reservation = `{"kind": "collectionType", "info": {"singularName": "reservation", "pluralName": "reservations", "displayName": "Reservation"},
	"options": {"draftAndPublish": false}, "attributes": {"name": {"type": "string"}, "guests": {"type": "integer"}}}`

// newSite serves a site with reservations.
func newSite(t *testing.T) *site {
	folder, s := program.NewSite(t), &site{T: t, beside: program.FreeAddress(t)}
	types := filepath.Join(folder, "src/api/reservation/content-types/reservation")
	config := filepath.Join(folder, "site.json")
	s.check(os.MkdirAll(types, 0o700))
	s.check(os.WriteFile(filepath.Join(types, "schema.json"), []byte(reservation), 0o600))
	text, err := os.ReadFile(config)
	s.check(err)
	settings := map[string]any{}
	s.check(json.Unmarshal(text, &settings))
	settings["hooks"] = []any{map[string]any{"name": "reservations", "url": "http://" + s.beside + "/hooks", "types": []string{"api::reservation.reservation"}, "events": []string{"create", "update"}}}
	settings["proxy"] = map[string]string{"/api/reserve": "http://" + s.beside}
	text, err = json.Marshal(settings)
	s.check(err)
	s.check(os.WriteFile(config, text, 0o600))
	s.token = program.NewToken(t, folder, "test", "full-access")
	s.secret = strings.TrimSpace(program.Succeed(t, "hook", "secret", folder))
	s.url = program.Serve(t, folder).URL
	return s
}

func (s *site) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// example returns what starts a program beside the site, which returns what ends it.
func (s *site) example(as *exec.Cmd) (start func() (stop func())) {
	return func() func() {
		c := exec.Command(as.Path, as.Args[1:]...)
		c.Env = append(os.Environ(), "SECRET="+s.secret, "QUIRE="+s.url, "LISTEN="+s.beside)
		said, err := c.StdoutPipe()
		s.check(err)
		s.check(c.Start())
		stop := func() {
			c.Process.Kill()
			c.Wait() // it says that it was killed
		}
		s.Cleanup(stop)
		if line, err := bufio.NewReader(said).ReadString('\n'); line != "listening\n" {
			s.Fatalf("it says %q, %v", line, err)
		}
		return stop
	}
}

// expect sends a request, and demands a status and a part of the answer. It returns the
// document that the answer shows, if it shows one.
func (s *site) expect(method, path, body string, status int, shows string) (documentID string) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	s.check(err)
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	r.Header.Set("Content-Type", "application/json")
	return s.answered(r, status, shows)
}

func (s *site) answered(r *http.Request, status int, shows string) (documentID string) {
	s.Helper()
	a, err := http.DefaultClient.Do(r)
	s.check(err)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	s.check(err)
	if a.StatusCode != status || !strings.Contains(string(text), shows) {
		s.Errorf("%s %s: %d %s, want %d %s", r.Method, r.URL.Path, a.StatusCode, text, status, shows)
	}
	var shown struct{ Data struct{ DocumentID string } }
	_ = json.Unmarshal(text, &shown) // not every answer shows one
	return shown.Data.DocumentID
}

// unsigned demands that the example answers nobody but the site.
func (s *site) unsigned() {
	s.Helper()
	r, err := http.NewRequest("POST", "http://"+s.beside+"/hooks", strings.NewReader(`{"data": {"name": "eve"}}`))
	s.check(err)
	r.Header.Set("webhook-id", "a")
	r.Header.Set("webhook-timestamp", "1")
	r.Header.Set("webhook-signature", "v1,AAAA")
	s.answered(r, 401, "wrong signature")
}
