package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"quire/content/audit"
)

// StoredBackup is a finished backup of the site, open for reading.
type StoredBackup struct {
	Name string    // of its file
	Made time.Time // to the second or finer
	Size int64     // bytes
	File io.ReadSeekCloser
}

// tag is the strong ETag of the backup. Neither the file nor its name is used twice.
func (b *StoredBackup) tag() string {
	return tagOf(nil, fmt.Appendf(nil, "backup %q %d %d", b.Name, b.Size, b.Made.UnixNano()))
}

// Downloads of backups use much of the disk and the network, so their number is limited.
const (
	mostBackupDownloads = 2
	backupRetry         = "30" // seconds that a refused client has to wait
)

// sendBackup answers GET /api/_backup with the newest backup, or with the requested part of
// it.
func sendBackup(x *request) error {
	x.dropTag()
	b, err := x.newestBackup()
	if err != nil {
		return err
	}
	defer b.File.Close()
	if x.http.Method == http.MethodHead || x.http.Header.Get("If-None-Match") == b.tag() {
		x.serveBackup(b)
		return nil
	}
	leave, err := x.server.takeBackup()
	if err != nil {
		x.Header().Set("Retry-After", backupRetry)
		return err
	}
	defer leave()
	if err := noteBackup(x.asCaller(), x.site, b.Name, x.http.Header.Get("Range")); err != nil {
		return err
	}
	x.server.metrics.CountBackup()
	x.serveBackup(b)
	return nil
}

// newestBackup opens the newest backup of the site on this server.
func (x *request) newestBackup() (*StoredBackup, error) {
	if x.site.newest == nil {
		return nil, noBackup()
	}
	b, err := x.site.newest()
	if err == nil && b == nil {
		err = noBackup()
	}
	return b, err
}

func noBackup() *problem {
	return &problem{http.StatusNotFound, "NotFoundError", "This server has no backup; make one in the admin, or set backup.schedule in site.json. Of a cluster, the node that made the last backup has it", none{}}
}

// takeBackup takes a place for one download. leave releases it.
func (s *Server) takeBackup() (leave func(), err error) {
	leave = func() { s.backupsSent.Add(-1) }
	if s.backupsSent.Add(1) > mostBackupDownloads {
		leave()
		s.load.CountBackup()
		return nil, &problem{http.StatusTooManyRequests, "RateLimitError", "Too many backups are being downloaded; try again later", none{}}
	}
	return leave, nil
}

// noteBackup notes who downloads a backup, and which part of it.
func noteBackup(ctx context.Context, e *siteVersion, name, part string) error {
	line := audit.Event{Action: "data.download", Target: audit.Target{Type: "backup", Name: name}}
	if part != "" {
		line.Details = map[string]string{"range": part[:min(len(part), longestNotedRange)]}
	}
	return audit.NewLog(e.db).Note(audit.Of(ctx), line)
}

// longestNotedRange is the maximum length of a Range header in the audit log, in bytes.
const longestNotedRange = 100

// serveBackup sends the backup as the headers of the request require.
func (x *request) serveBackup(b *StoredBackup) {
	h := x.Header()
	h.Set("Content-Type", "application/zstd")
	h.Set("Content-Disposition", "attachment; filename="+strconv.Quote(b.Name))
	h.Set("ETag", b.tag())
	fewRanges(x.http)
	http.ServeContent(x.share.Patient(x), x.http, "", b.Made, b.File)
}
