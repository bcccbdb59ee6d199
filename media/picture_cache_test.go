package media

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func inCache(t *testing.T, s *pictureCache) (names []string, bytes int64) {
	t.Helper()
	entries, err := os.ReadDir(s.path)
	check(t, err)
	for _, e := range entries {
		info, err := e.Info()
		check(t, err)
		names, bytes = append(names, e.Name()), bytes+taken(info.Size())
	}
	return names, bytes
}

// age has the picture last used so long ago.
func age(t *testing.T, s *pictureCache, name string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	check(t, os.Chtimes(s.at(name), then, then))
}

// Pictures of a file that is gone go with it, wherever the site lies, and no others do.
func TestAShelfForgetsWhereverItIs(t *testing.T) {
	site := filepath.Join(t.TempDir(), `a[b*c?`)
	check(t, os.Mkdir(site, 0o700))
	s := newPictureCache(filepath.Join(site, "uploads"))
	for _, of := range []string{"a.jpg", "b.jpg"} {
		s.put(cachePrefix(of)+"1.jpg", []byte("x"), 1<<20)
		s.put(cachePrefix(of)+"2.webp", []byte("x"), 1<<20)
	}
	s.forget("a.jpg")
	if names, _ := inCache(t, s); len(names) != 2 || !strings.HasPrefix(names[0], cachePrefix("b.jpg")) || !strings.HasPrefix(names[1], cachePrefix("b.jpg")) {
		t.Errorf("it holds %v", names)
	}
}

// However much is put on a cache, it holds no more than it may, and what was used last
// stays; one that another process fills is bounded as well.
func TestAShelfIsBounded(t *testing.T) {
	uploads := filepath.Join(t.TempDir(), "uploads")
	shelves := []*pictureCache{newPictureCache(uploads), newPictureCache(uploads)}
	const limit, size = 16 * 4608, 100 // bytes; a small file takes 4608 of the disk
	for i := range 100 {
		name := fmt.Sprintf("%03d", i)
		shelves[i%2].put(name, make([]byte, size), limit)
		if names, bytes := inCache(t, shelves[0]); bytes > limit {
			t.Fatalf("after %d there are %d bytes in %v", i+1, bytes, names)
		}
		age(t, shelves[0], name, time.Duration(200-i)*time.Hour)
		if f := shelves[0].open("000"); f == nil {
			t.Fatalf("after %d the picture that was used all the time is gone", i+1)
		} else {
			check(t, f.Close())
		}
	}
	if names, _ := inCache(t, shelves[0]); names[0] != "000" || len(names) < 10 || names[len(names)-1] != "099" {
		t.Errorf("left are %v", names)
	}
	shelves[0].put("large", make([]byte, limit+1), limit)
	shelves[0].put("none", []byte{1}, 0)
	if names, _ := inCache(t, shelves[0]); strings.Contains(fmt.Sprint(names), "large") || strings.Contains(fmt.Sprint(names), "none") {
		t.Errorf("left are %v", names)
	}
}

// Tiny pictures, of which a disk gives each a whole block, take no more of it than they may.
func TestAShelfOfTinyPicturesIsBoundedOnDisk(t *testing.T) {
	s := newPictureCache(filepath.Join(t.TempDir(), "uploads"))
	const limit, block = 1 << 20, 4096
	for i := range 2 * limit / block {
		s.put(fmt.Sprintf("%04d", i), []byte("tiny"), limit)
	}
	names, _ := inCache(t, s)
	if used := len(names) * block; used > limit || used < limit/2 {
		t.Errorf("%d pictures take %d bytes of a disk, of %d that they may", len(names), used, limit)
	}
}

// A program that was killed leaves parts of pictures: none of them is ever shown, and
// old ones are removed. What is whole is there after a restart.
func TestAShelfAfterACrash(t *testing.T) {
	uploads := filepath.Join(t.TempDir(), "uploads")
	s := newPictureCache(uploads)
	s.put("whole", []byte("picture"), 1<<20)
	check(t, os.WriteFile(s.at(making+"old"), []byte("pic"), 0o600))
	check(t, os.WriteFile(s.at(making+"new"), []byte("pic"), 0o600))
	age(t, s, making+"old", 2*forgotten)
	s = newPictureCache(uploads)
	s.put("another", []byte("picture"), 1<<20)
	if names, _ := inCache(t, s); strings.Join(names, " ") != making+"new another whole" {
		t.Errorf("left are %v", names)
	}
	info, err := os.Stat(s.path)
	check(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("others can look at pictures: %v", info.Mode())
	}
}

func TestAShelfForgets(t *testing.T) {
	s := newPictureCache(filepath.Join(t.TempDir(), "uploads"))
	s.forget("a.jpg") // of a cache that is not there yet
	s.put(cachePrefix("a.jpg")+"1.webp", []byte("a"), 1<<20)
	s.put(cachePrefix("a.jpg")+"2.webp", []byte("a"), 1<<20)
	s.put(cachePrefix("b.jpg")+"1.webp", []byte("b"), 1<<20)
	s.forget("a.jpg")
	if names, _ := inCache(t, s); len(names) != 1 || !strings.HasPrefix(names[0], cachePrefix("b.jpg")) {
		t.Errorf("left are %v", names)
	}
}
