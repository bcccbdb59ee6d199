//go:build unix

package media

import (
	"bytes"
	"cmp"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

var photos = flag.String("pictures", "", "a folder of JPEG and PNG files of which BenchmarkPicture makes pictures")

// BenchmarkPicture makes pictures of 800 × 600 in all formats, and says how large they are.
func BenchmarkPicture(b *testing.B) {
	files := map[string][]byte{"drawn.jpg": encoded(b, "image/jpeg", drawn(4000, 3000))}
	entries, err := os.ReadDir(cmp.Or(*photos, b.TempDir()))
	check(b, err)
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(*photos, e.Name()))
		check(b, err)
	}
	folder, err := Open(filepath.Join(b.TempDir(), "uploads"))
	check(b, err)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		check(b, folder.Put(b.Context(), name, "", bytes.NewReader(files[name])))
		for _, format := range []string{"jpeg", "png", "webp"} {
			b.Run(name+" as "+format, func(b *testing.B) {
				b.ReportAllocs()
				p := &Picture{of: name, kind: sniff(files[name][:sniffLength], name), focal: centre, ask: Ask{Width: 800, Height: 600, Cover: true, Quality: 80, Format: format}}
				var data []byte
				before := processorTime(b)
				for b.Loop() {
					data, err = folder.pictures.produce(b.Context(), p)
					check(b, err)
				}
				b.ReportMetric(float64(processorTime(b)-before)/1e6/float64(b.N), "ms-of-processors/op")
				b.ReportMetric(float64(len(data))/1000, "kB")
			})
		}
	}
	check(b, folder.Close())
}

// processorTime is what the program has had of all processors, in nanoseconds: on a
// machine that does other work as well, time on the wall says little.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}
