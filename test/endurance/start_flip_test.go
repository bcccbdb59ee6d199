package endurance

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"quire/test/program"
)

// Wherever a bit of the data file flips, the program refuses it with a message
// and without writing to it, or serves everything as it was. Where a token or a
// secret is hit, nobody is let in with it.
//
//	go test ./test/endurance -run TestFlippedBitsAreNotServed -long    a thousand of them
func TestFlippedBitsAreNotServed(t *testing.T) {
	t.Parallel()
	seed, flips := program.Chance(t, 10, 1000)
	site := program.NewGuide(t)
	token := program.NewToken(t, site, "reader", "read-only")
	f := &flipping{t: t, site: site, token: token, rand: rand.New(rand.NewPCG(seed, 1))}
	f.prepare()
	for range flips {
		f.flip()
		if t.Failed() {
			break
		}
	}
	t.Logf("of %d flips in %d bytes %d were refused, %d let a token in no more, %d did no harm", flips, f.used, f.refused, f.locked, f.harmless)
}

type flipping struct {
	t     *testing.T
	site  string
	token string
	rand  *rand.Rand

	whole []byte
	used  int      // bytes of it that bbolt counts as the file
	want  []string // the answers

	refused, locked, harmless int
}

// requested is what is read in every round, by everybody or with the token.
var requested = [...]string{
	"/api/restaurants?populate=*&sort=name&locale=*",
	"/api/cuisines?populate=restaurants&sort=name",
	"/api/stories?populate=*",
	"/api/homepage?populate=*",
	"token /api/restaurants?status=draft&sort=id&populate=*",
	"token /api/users?populate=role",
	"token /api/upload/files",
}

func (f *flipping) file() string { return filepath.Join(f.site, "data", "quire.db") }

// prepare reads every answer of the sound file.
func (f *flipping) prepare() {
	p := program.Serve(f.t, f.site)
	f.want, _ = f.answers(p.URL)
	p.Kill()
	for i, answer := range f.want {
		if !strings.HasPrefix(answer, "200") {
			f.t.Fatalf("%s: %s", requested[i], answer)
		}
	}
	var err error
	f.whole, err = os.ReadFile(f.file())
	requireNil(f.t, err)
	db, err := bbolt.Open(f.file(), 0o600, &bbolt.Options{ReadOnly: true})
	requireNil(f.t, err)
	requireNil(f.t, db.View(func(tx *bbolt.Tx) error { f.used = int(tx.Size()); return nil }))
	requireNil(f.t, db.Close())
}

func (f *flipping) answers(url string) (answers []string, locked bool) {
	for _, path := range requested {
		path, secret := strings.CutPrefix(path, "token ")
		r, err := http.NewRequest("GET", url+path, nil)
		requireNil(f.t, err)
		if secret {
			r.Header.Set("Authorization", "Bearer "+f.token)
		}
		response, err := http.DefaultClient.Do(r)
		requireNil(f.t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		requireNil(f.t, err)
		locked = locked || secret && (response.StatusCode == 401 || response.StatusCode == 403)
		answers = append(answers, fmt.Sprintf("%d %s", response.StatusCode, body))
	}
	return answers, locked
}

// flip changes one bit and starts the program on it.
func (f *flipping) flip() {
	page := os.Getpagesize()
	at, bit := f.rand.IntN(f.used), f.rand.IntN(8)
	if f.rand.IntN(3) == 0 {
		at = at/page*page + f.rand.IntN(128) // where a page describes itself
	}
	damaged := bytes.Clone(f.whole)
	damaged[at] ^= 1 << bit
	requireNil(f.t, os.WriteFile(f.file(), damaged, 0o600))
	before := snapshotOf(f.t, f.site)
	c := program.ServeCommand(f.t, f.site)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	p, started := program.Try(f.t, c)
	if !started {
		f.refused++
		f.requireMessage(stderr.String(), c.ProcessState.ExitCode())
		if after := snapshotOf(f.t, f.site); after != before {
			f.t.Errorf("it was refused and written to:\n%s\n%s", before, after)
		}
	} else {
		f.requireAnswers(p)
	}
	if f.t.Failed() {
		f.t.Errorf("bit %d of byte %d, page %d", bit, at, at/page)
	}
}

func (f *flipping) requireMessage(text string, code int) {
	f.t.Helper()
	if code != 1 || strings.Contains(text, "goroutine ") || !strings.Contains(text, f.file()) ||
		!strings.Contains(text, "backup") && !strings.Contains(text, "--repair") && !strings.Contains(text, "name Quire's data file") && !strings.Contains(text, "program that wrote it") {
		f.t.Errorf("exit %d: %s", code, text)
	}
}

func (f *flipping) requireAnswers(p *program.Server) {
	f.t.Helper()
	got, locked := f.answers(p.URL)
	p.Kill()
	for i := range got {
		if got[i] != f.want[i] && !(locked && strings.HasPrefix(requested[i], "token ")) {
			f.t.Errorf("%s: %s\nwant %s", requested[i], got[i], f.want[i])
		}
	}
	if locked {
		f.locked++
	} else {
		f.harmless++
	}
}
