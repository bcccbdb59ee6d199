package endurance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"quire/test/ledger"
	"quire/test/program"
)

// uploader sends files to a program that may be killed at any moment. Each file
// is called by the sum of what it holds, so that a half one would be seen.
type uploader struct {
	url, token string
}

type uploadedFile struct {
	ID   int
	Name string
	URL  string
}

// send uploads a file, in the place of another unless id is 0.
func (u *uploader) send(id int, content []byte) (file uploadedFile, err error) {
	kind, body := ledger.Form(content, []byte(`{"name": "`+ledger.Sum(content)+`"}`))
	path := "/api/upload"
	if id != 0 {
		path = fmt.Sprintf("/api/upload?id=%d", id)
	}
	answer, err := u.do("POST", path, kind, bytes.NewReader(body))
	if err != nil {
		return file, err
	}
	if id == 0 {
		answer = bytes.Trim(answer, "[]")
	}
	return file, json.Unmarshal(answer, &file)
}

func (u *uploader) do(method, path, kind string, body io.Reader) ([]byte, error) {
	r, err := http.NewRequest(method, u.url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+u.token)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = &refusal{fmt.Sprintf("%s %s: %d %s", method, path, response.StatusCode, answer)}
	}
	return answer, err
}

// refusal is an answer that says no, which a killed program cannot give.
type refusal struct{ what string }

func (r *refusal) Error() string { return r.what }

// keepBusy uploads, replaces and deletes until the program is gone.
func (u *uploader) keepBusy(t *testing.T, random *rand.Rand, done chan<- struct{}) {
	for {
		content := ledger.RandomFile(random)
		file, err := u.send(0, content)
		if err == nil && random.IntN(2) == 0 {
			_, err = u.send(file.ID, ledger.RandomFile(random))
		}
		if err == nil && random.IntN(3) == 0 {
			_, err = u.do("DELETE", fmt.Sprintf("/api/upload/files/%d", file.ID), "", nil)
		}
		if refused := new(refusal); errors.As(err, &refused) {
			t.Error(err)
		}
		if err != nil {
			return
		}
		done <- struct{}{}
	}
}

// A program that is killed while files come and go leaves each file whole with its
// record, or without one: a stray, which check names and removes.
func TestKilledDuringUploads(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 100)
	site := program.NewSite(t)
	token := program.NewToken(t, site, "test", "full-access")
	strays := 0
	for round := range rounds {
		p := program.Serve(t, site)
		u := &uploader{p.URL, token}
		checkFilesWhole(t, u)
		var busy sync.WaitGroup
		done := make(chan struct{})
		for n := range 4 {
			random := rand.New(rand.NewPCG(seed, uint64(round*4+n)))
			busy.Go(func() { u.keepBusy(t, random, done) })
		}
		go func() { busy.Wait(); close(done) }()
		for range 5 + rand.New(rand.NewPCG(seed, uint64(round))).IntN(20) {
			<-done
		}
		p.Kill()
		for range done { // until nobody is busy any more
		}
		strays += repairStrays(t, site)
	}
	p := program.Serve(t, site)
	checkFilesWhole(t, &uploader{p.URL, token})
	p.Kill()
	t.Logf("%d strays in %d rounds", strays, rounds)
}

// repairStrays has the site checked and repaired, and demands that there is
// nothing else to complain of.
func repairStrays(t *testing.T, site string) (strays int) {
	t.Helper()
	_, report, _ := program.Run(t, "check", site)
	report = withoutDeadLinks(report)
	for line := range strings.SplitSeq(report, "\n") {
		switch {
		case strings.Contains(line, "is a stray: no record names it"), strings.Contains(line, "was left behind by a run that was cut off"):
			strays++
		case strings.Contains(line, "quire check --repair"), line == "no problems", line == "":
		default:
			t.Errorf("check complains: %s", line)
		}
	}
	if code, report, message := program.Run(t, "check", "--repair", site); code != 0 {
		t.Errorf("repairing: exit %d %s%s", code, report, message)
	}
	if code, report, message := program.Run(t, "check", site); code != 0 || withoutDeadLinks(report) != "no problems\n" {
		t.Errorf("after repairing: exit %d %s%s", code, report, message)
	}
	return strays
}

// withoutDeadLinks is what a check reports but for links whose target was deleted,
// which stay as they are.
func withoutDeadLinks(report string) string {
	var lines []string
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "note: ") || !strings.Contains(line, "a link leads to nothing, and is not shown") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// checkFilesWhole reads every file that has a record.
func checkFilesWhole(t *testing.T, u *uploader) {
	t.Helper()
	list, err := u.do("GET", "/api/upload/files", "", nil)
	requireNil(t, err)
	var files []uploadedFile
	requireNil(t, json.Unmarshal(list, &files))
	for _, file := range files {
		content, err := u.do("GET", file.URL, "", nil)
		if err != nil {
			t.Errorf("%s: %v", file.URL, err)
		} else if ledger.Sum(content) != file.Name {
			t.Errorf("%s is not what was uploaded: %d bytes", file.URL, len(content))
		}
	}
}
