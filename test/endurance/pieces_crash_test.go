package endurance

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"quire/test/program"
)

// desk is an account of the admin, which alone sends files in pieces.
type desk struct {
	t      *testing.T
	client *http.Client
	url    string
}

// cookies keeps what the program has set last.
type cookies struct{ held []*http.Cookie }

func (c *cookies) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, one := range c.held {
		r.AddCookie(one)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && len(response.Cookies()) > 0 {
		c.held = response.Cookies()
	}
	return response, err
}

// newDesk makes an account of a site that nobody serves; it signs in when it is served.
func newDesk(t *testing.T, site string) (d *desk, signIn func(url string)) {
	t.Helper()
	link := strings.TrimSpace(program.Succeed(t, "admin", "create", "--name", "Ana", "--email", "ana@example.org", site))
	_, token, _ := strings.Cut(link, "#")
	d = &desk{t: t, client: &http.Client{Transport: &cookies{}}}
	return d, func(url string) {
		d.url = url
		if status, answer := d.ask("POST", "/setup", `{"token":"`+token+`","password":"correct horse"}`); status != http.StatusOK {
			t.Fatalf("signing in: %d %s", status, answer)
		}
	}
}

// ask asks the admin's API; the status is 0 where the program is gone.
func (d *desk) ask(method, path, body string) (status int, answer string) {
	d.t.Helper()
	r, err := http.NewRequest(method, d.url+"/admin/api/v1"+path, strings.NewReader(body))
	requireNil(d.t, err)
	r.Header.Set("X-Quire-Admin", "1")
	r.Header.Set("Content-Type", "application/json")
	response, err := d.client.Do(r)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(read)
}

// pieces is an upload in pieces as the program last said that it is.
type pieces struct {
	ID     string
	Offset int
	File   *uploadedFile
}

// A file that comes in pieces goes on where it was after the program was killed, however
// often, and is the one that was sent. Nobody sees any of it before it is whole.
func TestKilledDuringUploadsInPieces(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 50)
	site, token := newPictureSite(t)
	d, signIn := newDesk(t, site)
	p := program.Serve(t, site)
	signIn(p.URL)
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		content := strings.Repeat(fmt.Sprintf("line %x of a text\n", random.Uint64()), 40_000)
		status, answer := d.ask("POST", "/media/uploads", fmt.Sprintf(`{"name": "long-%d.txt", "size": %d}`, round, len(content)))
		upload := readPieces(t, status, answer)
		for kills := 0; upload.File == nil; {
			to := min(len(content), upload.Offset+100_000)
			sent := make(chan string, 1)
			go func() {
				_, answer := d.ask("PUT", fmt.Sprintf("/media/uploads/%s?offset=%d", upload.ID, upload.Offset), content[upload.Offset:to])
				sent <- answer
			}()
			if kills < 3 && random.IntN(2) == 0 {
				p.Kill() // before, while or after the piece has come
				kills++
			}
			if answer := <-sent; answer != "" {
				upload = readPieces(t, 200, answer)
			}
			if p.ProcessState != nil {
				p = program.Serve(t, site)
				d.url = p.URL
				status, answer := d.ask("GET", "/media/uploads/"+upload.ID, "")
				upload = readPieces(t, status, answer)
			}
			u := &uploader{p.URL, token}
			list, err := u.do("GET", "/api/upload/files?sort=id", "", nil)
			if seen := strings.Count(string(list), `"documentId"`); err != nil || upload.File == nil && seen != round {
				t.Fatalf("%d files are seen, %v", seen, err)
			}
		}
		if shown, err := (&uploader{p.URL, token}).do("GET", upload.File.URL, "", nil); err != nil || string(shown) != content {
			t.Errorf("%d bytes of %d are shown, %v", len(shown), len(content), err)
		}
	}
	p.Kill()
	if strays := repairStrays(t, site); strays > rounds {
		t.Errorf("%d strays of %d files", strays, rounds)
	}
}

func readPieces(t *testing.T, status int, answer string) (p pieces) {
	t.Helper()
	if status >= 300 || json.Unmarshal([]byte(answer), &p) != nil || p.ID == "" {
		t.Fatalf("%d %s", status, answer)
	}
	return p
}
