package objects

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// An editor uploads, looks at, replaces, turns and deletes files; a large one comes in
// parts, and pictures are made when they are asked for.
func TestFilesOfASite(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "quire"))
	film := strings.Repeat("0123456789abcdef", 2<<20) // 32 MiB
	large := s.uploaded("film.txt", film)
	s.holds(large.URL, film)
	if a := s.get(large.URL, "Range", "bytes=20000000-20000009"); a.status != 206 || a.body != film[20_000_000:20_000_010] {
		t.Errorf("a range: %d %q", a.status, a.body)
	}
	picture := s.uploaded("quay.png", photo(t))
	whole := s.get(picture.URL)
	if a := s.get(picture.URL, "If-None-Match", whole.header.Get("ETag")); a.status != 304 || whole.body != photo(t) {
		t.Errorf("asked again: %d", a.status)
	}
	for _, url := range []string{picture.Formats["thumbnail"].URL, picture.Formats["small"].URL, picture.URL + "?w=100"} {
		if a := s.get(url); a.status != 200 || a.header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: %d", url, a.status)
		}
	}
	edit := "/api/upload/files/" + picture.DocumentID + "/edit"
	if a := s.do("PUT", edit, "application/json", strings.NewReader(`{"rotate": 90}`)); a.status != 200 {
		t.Errorf("turned: %d %s", a.status, a.body)
	}
	if a := s.get(picture.URL); a.body == photo(t) || a.header.Get("ETag") == whole.header.Get("ETag") {
		t.Error("the turned picture is the former one")
	}
	if a := s.do("DELETE", edit, "", nil); a.status != 200 {
		t.Errorf("turned back: %d %s", a.status, a.body)
	}
	s.holds(picture.URL, photo(t))
	if a := s.upload("/api/upload?id="+picture.DocumentID, "note.txt", "a note"); a.status != 200 {
		t.Errorf("replaced: %d %s", a.status, a.body)
	}
	s.holds(picture.URL, "a note")
	s.sound()
	if a := s.do("DELETE", "/api/upload/files/"+large.DocumentID, "", nil); a.status != 200 || s.get(large.URL).status != 404 {
		t.Errorf("deleted: %d", a.status)
	}
	if keys := o.keys(t, "files"); len(keys) != 1 {
		t.Errorf("left in the bucket: %v", keys)
	}
	s.restart()
	s.holds(picture.URL, "a note")
}

// A browser gets a file from the store itself, at an address that is good for a while.
func TestFilesFromTheStoreItself(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "redirect"))
	picture := s.uploaded("quay.png", photo(t))
	a := s.get(picture.URL)
	to := a.header.Get("Location")
	if a.status != 302 || !strings.HasPrefix(to, o.URL+"/guide/files/quay_") || strings.Contains(to, secret) {
		t.Fatalf("%d to %s", a.status, to)
	}
	response, err := http.Get(to)
	check(t, err)
	response.Body.Close()
	if response.StatusCode != 200 || response.ContentLength != int64(len(photo(t))) || response.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(response.Header.Get("Content-Disposition"), "inline") {
		t.Errorf("there: %d, %v", response.StatusCode, response.Header)
	}
	response, err = http.Get(strings.Replace(to, "X-Amz-Expires=300", "X-Amz-Expires=3000", 1))
	check(t, err)
	response.Body.Close()
	if response.StatusCode != 403 {
		t.Errorf("an address that was changed: %d", response.StatusCode)
	}
	page := s.uploaded("page.html", "<!DOCTYPE html><script>alert(1)</script>")
	if a := s.get(page.URL); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("a page: %d", a.status)
	}
}

// While the store is away, slow or full, no upload succeeds, and everything else works.
func TestTheStoreFails(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "quire"))
	kept := s.uploaded("kept.txt", "kept")
	for _, one := range []struct {
		name              string
		mode              int32
		uploaded, fetched int
	}{{"away", cut, 503, 503}, {"silent", silent, 503, 503}, {"full", full, 507, 507}} {
		o.set(one.mode)
		var all sync.WaitGroup // a store that is silent makes each of them wait
		all.Go(func() {
			if a := s.get(kept.URL); a.status != one.fetched || strings.Contains(a.body, "127.0.0.1") {
				t.Errorf("%s: the file is %d %s", one.name, a.status, a.body)
			}
		})
		all.Go(func() {
			if a := s.upload("/api/upload", "more.txt", "more"); a.status != one.uploaded || a.status == 503 && a.header.Get("Retry-After") == "" {
				t.Errorf("%s: an upload is %d %s", one.name, a.status, a.body)
			}
		})
		if a := s.get("/api/upload/files"); a.status != 200 || strings.Count(a.body, `"documentId"`) != 1 {
			t.Errorf("%s: the list is %d %s", one.name, a.status, a.body)
		}
		all.Wait()
	}
	o.set(passes)
	s.holds(kept.URL, "kept")
	s.uploaded("more.txt", "more")
	s.sound()
}

// Whenever the program is killed, each file whose upload was answered is there, and no
// record is without its files.
func TestKilledWhileFilesArrive(t *testing.T) {
	o := startStore(t)
	s := newSite(t, o.inBucket("bucket", "quire"))
	_, rounds := program.Chance(t, 3, 50)
	answered := map[string]string{}
	for round := range rounds {
		var all sync.WaitGroup
		var mu sync.Mutex
		first := make(chan struct{})
		begun := sync.OnceFunc(func() { close(first) })
		for client := range 4 {
			all.Go(func() {
				for {
					content := strings.Repeat(string(rune('a'+client)), 1000*(round+1))
					a := s.upload("/api/upload", "photo.txt", content)
					var list []record
					if a.status != 201 || json.Unmarshal([]byte(a.body), &list) != nil {
						begun()
						return
					}
					mu.Lock()
					answered[list[0].URL] = content
					mu.Unlock()
					begun()
				}
			})
		}
		<-first
		s.server.Kill()
		all.Wait()
		s.serve()
	}
	for url, content := range answered {
		s.holds(url, content)
	}
	s.sound()
	t.Logf("%d uploads were answered", len(answered))
	s.sweep(o)
	for url, content := range answered {
		s.holds(url, content)
	}
}

// sweep lets a day go by for what this node has claimed, and waits until the bucket has the
// files of records alone.
func (s *site) sweep(o *objectStore) {
	s.t.Helper()
	s.server.Kill()
	claims, err := filepath.Glob(filepath.Join(s.folder, "data", "uploads", ".upload-claim-*"))
	check(s.t, err)
	for _, claim := range claims {
		yesterday := time.Now().Add(-25 * time.Hour)
		check(s.t, os.Chtimes(claim, yesterday, yesterday))
	}
	s.serve()
	for end := time.Now().Add(3 * time.Minute); ; {
		recorded := strings.Count(s.get("/api/upload/files").body, `"documentId"`)
		if keys := o.keys(s.t, "files"); len(keys) == recorded {
			return
		} else if time.Now().After(end) {
			s.t.Fatalf("%d files in the bucket, and %d records", len(keys), recorded)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Two programs with one bucket leave the files of the other alone, whatever each of them
// does.
func TestTwoProgramsWithOneBucket(t *testing.T) {
	o := startStore(t)
	one, two := newSite(t, o.inBucket("bucket", "quire")), newSite(t, o.inBucket("bucket", "quire"))
	mine, theirs := one.uploaded("a.txt", "mine"), two.uploaded("a.txt", "theirs")
	one.restart()
	if a := one.do("DELETE", "/api/upload/files/"+mine.DocumentID, "", nil); a.status != 200 {
		t.Errorf("deleted: %d", a.status)
	}
	one.server.Signal(os.Interrupt)
	check(t, one.server.Wait())
	if code, stdout, _ := program.Run(t, "check", "--repair", one.folder); code != 0 {
		t.Errorf("repair: %s", stdout)
	}
	two.holds(theirs.URL, "theirs")
	two.restart()
	two.holds(theirs.URL, "theirs")
	if keys := o.keys(t, "files"); len(keys) != 1 || filepath.Base(theirs.URL) != keys[0] {
		t.Errorf("%v", keys)
	}
}
