package endurance

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // pictures are decoded to see that they are whole
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"quire/test/program"
)

// cacheBytes is how much of the disk pictures that were made may take in these tests: about
// a dozen of them.
const cacheBytes = 100_000

// newPictureSite is a site that makes small pictures on demand and keeps few.
func newPictureSite(t *testing.T) (site, token string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	program.Succeed(t, "new", "--template", "blank", site)
	settings := fmt.Sprintf(`{"upload": {"pictures": {"sizes": ["20x", "40x", "60x", "80x", "100x", "120x"], "formats": ["jpeg", "png"], "cacheBytes": %d}}}`, cacheBytes)
	requireNil(t, os.WriteFile(filepath.Join(site, "site.json"), []byte(settings), 0o600))
	return site, program.NewToken(t, site, "test", "full-access")
}

// noisyPicture is a PNG file that takes a while to make others of.
func noisyPicture(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 600, 400))
	random := rand.New(rand.NewPCG(4, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32()) | 1
	}
	var b bytes.Buffer
	requireNil(t, png.Encode(&b, m))
	return b.Bytes()
}

// pictureQueries are all pictures of a file.
func pictureQueries() (all []string) {
	for width := 20; width <= 120; width += 20 {
		all = append(all, fmt.Sprintf("?w=%d&format=jpeg", width), fmt.Sprintf("?w=%d&format=png", width))
	}
	return all
}

// wholePicture asks for a picture and demands that an answer shows all of it.
func wholePicture(t *testing.T, address string) (status int, gone error) {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(newGet(t, address))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if response.StatusCode == http.StatusOK {
		if _, _, err := image.Decode(bytes.NewReader(body)); err != nil {
			t.Errorf("%s shows half a picture, %d bytes: %v", address, len(body), err)
		}
	}
	return response.StatusCode, nil
}

func newGet(t *testing.T, address string) *http.Request {
	r, err := http.NewRequest("GET", address, nil)
	requireNil(t, err)
	return r
}

// inCache is what pictures that were made take of the disk, in blocks, and how many of them
// there are; those that were being written are not pictures.
func inCache(t *testing.T, site string) (bytes int64, pictures int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(site, "data", "pictures"))
	requireNil(t, err)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), ".") {
			bytes += (info.Size() + 4095) / 4096 * 4096
			pictures++
		}
	}
	return bytes, pictures
}

// A program that is killed while it makes pictures shows none that is half, then or later,
// and keeps no more of them than it may.
func TestKilledWhilePicturesAreMade(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 100)
	site, token := newPictureSite(t)
	p := program.Serve(t, site)
	files := make([]string, 4)
	for i := range files {
		file, err := (&uploader{p.URL, token}).send(0, noisyPicture(t))
		requireNil(t, err)
		files[i] = file.URL
	}
	queries := pictureQueries()
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		var busy sync.WaitGroup
		made := make(chan struct{})
		for range 4 {
			order := random.Perm(len(files) * len(queries))
			busy.Go(func() {
				for i := 0; ; i++ {
					n := order[i%len(order)]
					if _, gone := wholePicture(t, p.URL+files[n%len(files)]+queries[n/len(files)]); gone != nil {
						return
					}
					made <- struct{}{}
				}
			})
		}
		go func() { busy.Wait(); close(made) }()
		for range 5 + random.IntN(60) {
			<-made
		}
		p.Kill()
		for range made { // until nobody asks any more
		}
		p = program.Serve(t, site)
		for n := range len(files) * len(queries) {
			if status, gone := wholePicture(t, p.URL+files[n%len(files)]+queries[n/len(files)]); gone != nil || status != http.StatusOK {
				t.Fatalf("after a restart: %d, %v", status, gone)
			}
		}
		if bytes, pictures := inCache(t, site); bytes > cacheBytes || pictures == 0 {
			t.Errorf("after a restart %d pictures take %d bytes of the disk, of %d that they may", pictures, bytes, cacheBytes)
		}
	}
}
