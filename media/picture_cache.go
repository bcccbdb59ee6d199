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

// pictureCache stores derived pictures, in a folder next to that of the files. Pictures that were
// not used for longest make space for others. All of them can be made again, so no backup
// contains them, and errors of the cache are ignored: a picture that cannot be stored is
// made again the next time. Several processes may use one cache.
type pictureCache struct {
	path string

	mu    sync.Mutex
	since int64 // bytes stored by this process since it last checked the cache; -1 before the first time
}

// making begins the names of pictures that are being written.
const making = ".making-"

const (
	// noticed is the minimum time between two stored uses of a picture.
	noticed = 10 * time.Minute

	// forgotten is the maximum age of a picture that is being written.
	forgotten = time.Hour

	// cachePart is the fraction of the cache that is filled before it is checked again.
	cachePart = 16
)

// cacheName is the name of the folder.
const cacheName = "pictures"

func newPictureCache(uploads string) *pictureCache {
	return &pictureCache{path: filepath.Join(filepath.Dir(uploads), cacheName), since: -1}
}

func (s *pictureCache) at(name string) string { return filepath.Join(s.path, name) }

// cachePrefix returns the prefix of the names of all pictures of one original.
func cachePrefix(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:10]) + "-"
}

func (s *pictureCache) has(name string) bool {
	_, err := os.Stat(s.at(name))
	return err == nil
}

// open opens a picture and records its use; nil if it does not exist.
func (s *pictureCache) open(name string) *os.File {
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

// taken returns the disk space of a file of that size: whole blocks, and the metadata of
// the file.
func taken(size int64) int64 {
	const block, noted = 4096, 512
	return (size+block-1)/block*block + noted
}

// put stores a picture, so that all together take at most limit bytes of the disk.
func (s *pictureCache) put(name string, data []byte, limit int64) {
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
	if s.since < 0 || s.since >= limit/cachePart {
		s.since = 0
		s.clear(limit - limit/cachePart)
	}
}

// write gives a picture its name when it is complete and on the disk.
func (s *pictureCache) write(name string, data []byte) error {
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

// clear removes the pictures that were not used for longest until at most left bytes
// remain, and those that were never completed.
func (s *pictureCache) clear(left int64) {
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	var bytes int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed meanwhile, or not one of ours
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

// forget removes all pictures of some originals.
func (s *pictureCache) forget(of ...string) {
	entries, _ := os.ReadDir(s.path)
	gone := map[string]bool{}
	for _, name := range of {
		gone[cachePrefix(name)] = true
	}
	for _, e := range entries {
		if prefix, _, cut := strings.Cut(e.Name(), "-"); cut && gone[prefix+"-"] {
			_ = os.Remove(s.at(e.Name()))
		}
	}
}
