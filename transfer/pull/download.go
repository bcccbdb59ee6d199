package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The name of a download: this, digits that stand for the address and the ETag, and its end.
const (
	nameBegin = ".pull-"
	nameEnd   = ".tar.zst"
)

func isDownload(name string) bool {
	return strings.HasPrefix(name, nameBegin) && strings.HasSuffix(name, nameEnd)
}

func (r *Remote) name(tag string) string {
	sum := sha256.Sum256([]byte(r.address + "\n" + tag))
	return nameBegin + hex.EncodeToString(sum[:8]) + nameEnd
}

// File is a backup that was downloaded. Its bytes are not checked.
type File struct {
	Offer
	Path     string
	Kept     int64 // bytes that an earlier run has left
	Received int64 // bytes of this run
}

// ErrBusy is another process that downloads the same backup to the same folder.
var ErrBusy = errors.New("another command is downloading this backup")

// Download brings the backup to a file in the folder, which it makes. It goes on where an
// earlier run has ended. If the server has another backup by now, it brings that one.
//
// After an error of the network, what has arrived stays for the next run. After one of the
// disk it is removed, because a full disk may stop a server that uses it.
//
// Errors: those of Newest, ErrBusy, *StalledError, the context's and the file system's.
func (r *Remote) Download(ctx context.Context, offer Offer, folder string) (*File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	d := &download{remote: r, folder: folder}
	defer d.close()
	if err := d.open(offer); err != nil {
		return nil, err
	}
	d.file.Kept, d.best = d.at, d.at
	if err := r.persist(ctx, func() (bool, error) { return d.connect(ctx) }); err != nil {
		return nil, d.failed(err)
	}
	if err := d.out.Sync(); err != nil {
		return nil, d.failed(&diskError{err})
	}
	return &d.file, nil
}

// download is one download under way.
type download struct {
	remote *Remote
	folder string
	out    *os.File
	at     int64 // bytes of out
	best   int64 // the most that at has been
	file   File
}

// open opens the file for an offer, and removes those of others.
func (d *download) open(o Offer) error {
	d.close()
	d.file.Offer, d.file.Path = o, filepath.Join(d.folder, d.remote.name(o.Tag))
	if info, err := os.Lstat(d.file.Path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file", d.file.Path)
	}
	out, err := os.OpenFile(d.file.Path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	d.out = out
	if !lock(out) {
		return ErrBusy
	}
	if d.at, err = out.Seek(0, io.SeekEnd); err == nil && d.at > o.Size {
		err = d.empty()
	}
	if err == nil {
		err = removeDownloads(d.folder, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(d.file.Path) })
	}
	d.remote.received.Store(d.at)
	d.remote.size.Store(o.Size)
	return err
}

// Sweep removes the downloads in a folder that have not grown since that time.
func Sweep(folder string, before time.Time) error {
	return removeDownloads(folder, func(e fs.DirEntry) bool {
		info, err := e.Info()
		return err == nil && info.ModTime().Before(before)
	})
}

// removeDownloads removes some of the downloads in a folder.
func removeDownloads(folder string, over func(fs.DirEntry) bool) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && isDownload(e.Name()) && over(e) {
			if gone := os.Remove(filepath.Join(folder, e.Name())); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

func (d *download) close() {
	if d.out != nil {
		d.out.Close() // what counts was synced
		d.out = nil
	}
}

// failed removes what has arrived if the disk does not take it.
func (d *download) failed(err error) error {
	if disk := (*diskError)(nil); errors.As(err, &disk) {
		d.close()
		return errors.Join(disk.error, os.Remove(d.file.Path))
	}
	return err
}

// empty begins again.
func (d *download) empty() error {
	d.at = 0
	if _, err := d.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return d.out.Truncate(0)
}

// connect receives as much as one connection brings, and reports whether that was much more
// than all connections before it have brought.
func (d *download) connect(ctx context.Context) (well bool, err error) {
	if d.at == d.file.Size {
		return true, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	headers := map[string]string{}
	if d.at > 0 {
		headers["Range"], headers["If-Range"] = "bytes="+strconv.FormatInt(d.at, 10)+"-", d.file.Tag
	}
	response, err := d.remote.send(ctx, http.MethodGet, headers)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if err := d.begin(response); err != nil {
		return false, err
	}
	err = d.receive(response.Body, cancel)
	well = d.at-d.best >= enough
	d.best = max(d.best, d.at)
	return well, err
}

// begin prepares the file for the body of a response: the rest of the backup, or all of it.
func (d *download) begin(response *http.Response) error {
	switch response.StatusCode {
	case http.StatusPartialContent:
		rest := fmt.Sprintf("bytes %d-%d/%d", d.at, d.file.Size-1, d.file.Size)
		if response.Header.Get("ETag") != d.file.Tag || response.Header.Get("Content-Range") != rest {
			return ErrNoServer
		}
		return nil
	case http.StatusOK:
		offer, err := d.remote.offerOf(response)
		switch {
		case err != nil:
			return err
		case offer != d.file.Offer:
			d.file.Kept = 0
			return disk(d.open(offer))
		}
		return disk(d.empty())
	}
	return statusError(response)
}

// receive writes a body to the file, and no more than belongs to the backup.
func (d *download) receive(body io.Reader, cancel func()) error {
	w := d.remote.watch(body, cancel)
	defer w.end()
	part := make([]byte, 64<<10)
	for d.at < d.file.Size {
		n, err := w.Read(part[:min(int64(len(part)), d.file.Size-d.at)])
		if _, wrong := d.out.WriteAt(part[:n], d.at); wrong != nil {
			return &diskError{wrong}
		}
		d.at += int64(n)
		d.file.Received += int64(n)
		d.remote.received.Store(d.at)
		if err != nil && d.at < d.file.Size {
			return err
		}
	}
	return nil
}
