package media

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// shelf keeps pictures that were made, in a folder of its own beside that of the files.
// What was not used for longest makes room for others. All that is on it can be made
// again, so that it belongs in no backup, and its errors matter to nobody: a picture that
// cannot be kept is made again the next time. Several processes may use one shelf.
type shelf struct {
	path string

	mu    sync.Mutex
	since int64 // bytes that were taken here since the shelf was looked through; -1 before the first time
}

// making begins the names of pictures that are being written.
const making = ".making-"

const (
	// noticed is how much later a use must be than the last one to be noted.
	noticed = 10 * time.Minute

	// forgotten is how old a picture that is being written may become.
	forgotten = time.Hour

	// shelfPart is the part of the shelf that is filled before it is looked through again.
	shelfPart = 16
)

// shelfName is the name of the folder.
const shelfName = "pictures"

func newShelf(uploads string) *shelf {
	return &shelf{path: filepath.Join(filepath.Dir(uploads), shelfName), since: -1}
}

func (s *shelf) at(name string) string { return filepath.Join(s.path, name) }

// shelfPrefix is what the names of all pictures of one original begin with.
func shelfPrefix(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:10]) + "-"
}

func (s *shelf) has(name string) bool {
	_, err := os.Stat(s.at(name))
	return err == nil
}

// open opens a picture and notes that it was used; nil if it is not there.
func (s *shelf) open(name string) *os.File {
	file, err := os.Open(s.at(name))
	if err != nil {
		return nil
	}
	now := time.Now()
	if info, err := file.Stat(); err == nil && now.Sub(info.ModTime()) > noticed {
		_ = os.Chtimes(s.at(name), now, now)
	}
	return file
}

// taken is what a file of that size takes of a disk: whole blocks, and what the disk notes
// of the file besides.
func taken(size int64) int64 {
	const block, noted = 4096, 512
	return (size+block-1)/block*block + noted
}

// put keeps a picture, so that all of them together take no more than limit bytes of the
// disk.
func (s *shelf) put(name string, data []byte, limit int64) {
	size := taken(int64(len(data)))
	if size > limit {
		return
	}
	if s.write(name, data) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since >= 0 {
		s.since += size
	}
	if s.since < 0 || s.since >= limit/shelfPart {
		s.since = 0
		s.clear(limit - limit/shelfPart)
	}
}

// write gives a picture its name when it is whole and on the disk.
func (s *shelf) write(name string, data []byte) error {
	if err := os.Mkdir(s.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	file, err := os.CreateTemp(s.path, making+"*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, finish(file)); err == nil {
		err = os.Rename(file.Name(), s.at(name))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

// clear removes what was not used for longest until so many bytes are left, and what was
// never written to its end.
func (s *shelf) clear(left int64) {
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	var bytes int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // gone meanwhile, or none of ours
		}
		if strings.HasPrefix(e.Name(), making) {
			if time.Since(info.ModTime()) > forgotten {
				_ = os.Remove(s.at(e.Name()))
			}
			continue
		}
		kept = append(kept, info)
		bytes += taken(info.Size())
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if bytes <= left {
			return
		}
		if os.Remove(s.at(info.Name())) == nil {
			bytes -= taken(info.Size())
		}
	}
}

// forget removes all pictures of an original.
func (s *shelf) forget(of string) {
	entries, _ := os.ReadDir(s.path)
	prefix := shelfPrefix(of)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(s.at(e.Name()))
		}
	}
}
