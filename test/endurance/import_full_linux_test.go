package endurance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"quire/test/program"
)

// An import on a disk with too little space says so and leaves nothing: neither content,
// nor files, nor less space than there was. With a little more space each time, it fails at
// one place after the other, until all is in. So it is whether or not a server does it.
func TestImportsOnAFullDisk(t *testing.T) {
	t.Parallel()
	const lines = 20000
	for name, serve := range map[string]bool{"by the command": false, "by the server": true} {
		t.Run(name, func(t *testing.T) {
			site := program.NewSite(t)
			program.Succeed(t, "import", site, write(t, `{"type":"api::cuisine.cuisine","documentId":"was","data":{"name":"Was here"}}`))
			file := cuisines(t, lines)
			smallDisk(t, site, 64)
			data := filepath.Join(site, "data")
			if serve {
				program.Serve(t, site)
			}
			was, failed := program.Export(t, site), 0
			for space := int64(1); ; space *= 2 {
				before := filesIn(t, data)
				free := leave(t, data, space<<20)
				code, _, said := program.Run(t, "import", "--replace", site, file)
				left := spaceOn(t, data)
				free()
				is := program.Export(t, site)
				if code == 0 {
					if strings.Count(is, "\n") != lines || strings.Contains(is, "Was here") {
						t.Fatalf("with %d MiB it is done, and the site holds\n%.500s", space, is)
					}
					break
				}
				if !strings.Contains(said, "no space left on device") || strings.Contains(said, ".quire.db.") {
					t.Errorf("with %d MiB it says %q", space, said)
				}
				if is != was {
					t.Fatalf("with %d MiB it failed, and the site holds\n%.500s", space, is)
				}
				if after := filesIn(t, data); !slices.Equal(before, after) || left < (space<<20)*3/4 {
					t.Errorf("with %d MiB it leaves %d bytes and the files %v; before there were %v", space, left, after, before)
				}
				failed++
			}
			if failed == 0 {
				t.Error("the disk was never full")
			}
			program.Succeed(t, "check", site)
		})
	}
}

func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	requireNil(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// spaceOn is how many bytes are free on the disk of a folder.
func spaceOn(t *testing.T, folder string) int64 {
	t.Helper()
	var disk syscall.Statfs_t
	requireNil(t, syscall.Statfs(folder, &disk))
	return int64(disk.Bavail) * disk.Bsize
}

// leave takes all of a disk but so many bytes, and returns how it is freed.
func leave(t *testing.T, folder string, bytes int64) (free func()) {
	t.Helper()
	free = fillDisk(t, folder)
	requireNil(t, os.Truncate(filepath.Join(folder, "ballast"), spaceOn(t, folder)+ballastSize(t, folder)-bytes))
	return free
}

func ballastSize(t *testing.T, folder string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(folder, "ballast"))
	requireNil(t, err)
	return info.Size()
}
