package endurance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quire/test/program"
)

// smallDisk puts the data of a site, which nobody serves, on a disk of its own of so many
// MiB.
func smallDisk(t *testing.T, site string, size int) {
	t.Helper()
	folder := filepath.Join(site, "data")
	aside := folder + "-aside"
	requireNil(t, os.Rename(folder, aside))
	requireNil(t, os.Mkdir(folder, 0o700))
	if err := syscall.Mount("none", folder, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=700", size)); err != nil {
		t.Skipf("a small disk cannot be made: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	requireNil(t, os.CopyFS(folder, os.DirFS(aside)))
}

// fillDisk takes what is left of a disk, to the last byte, and returns how it is freed.
func fillDisk(t *testing.T, folder string) (free func()) {
	t.Helper()
	ballast := filepath.Join(folder, "ballast")
	file, err := os.Create(ballast)
	requireNil(t, err)
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	requireNil(t, file.Close())
	return func() {
		requireNil(t, os.Remove(ballast))
	}
}

// On a full disk, pictures are made and shown, and not kept. A file that arrives in pieces
// is refused with 507 and a message. As soon as there is space, it continues, and pictures
// are kept.
func TestPicturesAndPiecesOnAFullDisk(t *testing.T) {
	t.Parallel()
	site, token := newPictureSite(t)
	d, signIn := newDesk(t, site)
	smallDisk(t, site, 16)
	p := program.Serve(t, site)
	signIn(p.URL)
	file, err := (&uploader{p.URL, token}).send(0, noisyPicture(t))
	requireNil(t, err)
	content := strings.Repeat("a line of a long text\n", 10_000)
	status, answer := d.ask("POST", "/media/uploads", fmt.Sprintf(`{"name": "long.txt", "size": %d}`, len(content)))
	upload := readPieces(t, status, answer)
	free := fillDisk(t, filepath.Join(site, "data"))

	for _, query := range pictureQueries() {
		if status, gone := wholePicture(t, p.URL+file.URL+query); gone != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v", query, status, gone)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(site, "data", "pictures")); err == nil && len(entries) > 0 {
		t.Errorf("%d files were left where there is no room", len(entries))
	}
	where := fmt.Sprintf("/media/uploads/%s?offset=0", upload.ID)
	for _, requested := range [][3]string{{"PUT", where, content}, {"POST", "/media/uploads", `{"name": "other.txt", "size": 5}`}} {
		if status, answer := d.ask(requested[0], requested[1], requested[2]); status != http.StatusInsufficientStorage || !strings.Contains(answer, "There is no space left") {
			t.Errorf("%s %s: %d %s", requested[0], requested[1], status, answer)
		}
	}

	free()
	status, answer = d.ask("GET", "/media/uploads/"+upload.ID, "")
	upload = readPieces(t, status, answer)
	status, answer = d.ask("PUT", fmt.Sprintf("/media/uploads/%s?offset=%d", upload.ID, upload.Offset), content[upload.Offset:])
	if upload = readPieces(t, status, answer); upload.File == nil {
		t.Fatalf("once there is room: %d %s", status, answer)
	}
	if shown, err := (&uploader{p.URL, token}).do("GET", upload.File.URL, "", nil); err != nil || string(shown) != content {
		t.Errorf("%d bytes of %d are shown, %v", len(shown), len(content), err)
	}
	for _, query := range pictureQueries() {
		if status, gone := wholePicture(t, p.URL+file.URL+query); gone != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v", query, status, gone)
		}
	}
	if bytes, pictures := inCache(t, site); bytes > cacheBytes || pictures == 0 {
		t.Errorf("%d pictures take %d bytes of the disk, of %d that they may", pictures, bytes, cacheBytes)
	}
	p.Kill()
}
