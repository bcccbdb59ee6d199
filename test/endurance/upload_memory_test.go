package endurance

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// peakMemory is the most memory that a program has had, in MiB.
func peakMemory(t *testing.T, p *program.Server) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Skip("this system does not tell the memory of a program:", err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	requireNil(t, err)
	return kilobytes / 1024
}

// serveLarge starts the program on an empty site that takes files of 2 GiB.
func serveLarge(t *testing.T) (*program.Server, *uploader) {
	t.Helper()
	program.NeedLong(t)
	site := filepath.Join(t.TempDir(), "site")
	program.Succeed(t, "new", "--template", "blank", site)
	requireNil(t, os.WriteFile(filepath.Join(site, "site.json"), []byte(`{"upload": {"sizeLimit": 2147483648}}`), 0o600))
	token := program.NewToken(t, site, "test", "full-access")
	p := program.Serve(t, site)
	return p, &uploader{p.URL, token}
}

// photo is a JPEG file of about five million bytes, as a camera would make it.
func photo(t *testing.T) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			noise := int(random.Uint32() % 44)
			m.SetRGBA(x, y, color.RGBA{uint8(x/20 + noise), uint8(y/20 + noise), uint8((x+y)/40 + noise), 255})
		}
	}
	var b bytes.Buffer
	requireNil(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}))
	return b.Bytes()
}

// A hundred photos of 5 MB at once take less than 600 MiB, and reads are answered
// meanwhile.
func TestHundredUploadsAtOnce(t *testing.T) {
	p, u := serveLarge(t)
	content := photo(t)
	before := peakMemory(t, p)
	var uploads, reads sync.WaitGroup
	begin := time.Now()
	for range 100 {
		uploads.Go(func() {
			if _, err := u.send(0, content); err != nil {
				t.Error(err)
			}
		})
	}
	ended := make(chan struct{})
	var slowest time.Duration
	answered := 0
	reads.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			requested := time.Now()
			if _, err := u.do("GET", "/api/upload/files?fields=name&limit=5", "", nil); err != nil {
				t.Error(err)
			}
			slowest = max(slowest, time.Since(requested))
			answered++
		}
	})
	uploads.Wait()
	close(ended)
	reads.Wait()
	peak := peakMemory(t, p)
	t.Logf("100 photos of %.1f MB in %v: %d MiB at most, %d before; %d reads, the slowest took %v",
		float64(len(content))/1e6, time.Since(begin).Round(time.Second), peak, before, answered, slowest)
	if peak >= 600 {
		t.Errorf("%d MiB", peak)
	}
}

// A file of 1 GiB goes in and out without the memory growing with it.
func TestHugeUploadsTakeNoMemory(t *testing.T) {
	p, u := serveLarge(t)
	if _, err := u.send(0, []byte("something small first")); err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, p)
	const size = 1 << 30
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		part, err := form.CreateFormFile("files", "huge.bin")
		chunk := bytes.Repeat([]byte{0, 1, 2, 3}, 1<<18)
		for sent := 0; sent < size && err == nil; sent += len(chunk) {
			_, err = part.Write(chunk)
		}
		form.Close()
		writer.CloseWithError(err)
	}()
	begin := time.Now()
	answer, err := u.do("POST", "/api/upload", form.FormDataContentType(), reader)
	if err != nil || !bytes.Contains(answer, []byte(`"size":1073741.82`)) {
		t.Fatalf("%s, %v", answer, err)
	}
	grown := peakMemory(t, p) - before
	t.Logf("1 GiB in %v: %d MiB more than the %d before", time.Since(begin).Round(time.Second), grown, before)
	if grown > 32 {
		t.Errorf("memory grew by %d MiB", grown)
	}
}
