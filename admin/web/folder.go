package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// folder is the output folder of the builder during development.
type folder struct{ path string }

// Paths below /admin/dev that are not files: a script that reloads the page, and its
// request.
const (
	reloadScript = "reload.js"
	nextChange   = "change"
)

// serve sends the current content of a file.
func (f *folder) serve(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Cache-Control", "no-store")
	switch name {
	case reloadScript:
		w.Header().Set("Content-Type", contentType(name))
		fmt.Fprint(w, reload)
	case nextChange:
		f.waitForChange(r)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", contentType(name))
		http.ServeFile(w, r, filepath.Join(f.path, name)) // name has no slash
	}
}

// reload reloads the page when something has changed.
const reload = `const changed = async () => {
  for (;;) {
    const answer = await fetch("/admin/dev/` + nextChange + `").catch(() => null);
    if (answer?.ok) return location.reload();
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
};
void changed();
`

// waitForChange returns when a file has changed, or the client has gone away.
func (f *folder) waitForChange(r *http.Request) {
	before := f.latest()
	for tick := time.NewTicker(300 * time.Millisecond); ; {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			if f.latest().After(before) {
				return
			}
		}
	}
}

// latest returns the time of the latest change of a file.
func (f *folder) latest() (latest time.Time) {
	entries, err := os.ReadDir(f.path)
	for _, entry := range entries {
		info, statErr := entry.Info()
		if err = errors.Join(err, statErr); statErr == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return time.Time{}
	}
	return latest
}
