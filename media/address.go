package media

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"strings"

	"quire/schema/settings"
)

// Addressed is a Storage from which browsers can fetch files themselves.
type Addressed interface {
	// Address returns an address at which anybody may fetch the file for a while.
	Address(ctx context.Context, name, kind string) (string, error)
}

// Address returns where browsers fetch the file with the url /uploads/NAME, if site.json
// redirects them; it is empty for files that this server sends itself. These are files that
// are not in the bucket; files that could run a script, because only this server sends the
// policy that prevents it; and private files, because only this server checks their
// signatures. The error is ErrNotFound if no record names the file.
func (l *Library) Address(ctx context.Context, name string) (string, error) {
	serve := l.site.Settings.Upload.Serve
	p := l.folder.Places()
	bucket, ok := p.Use.(Addressed)
	if serve == settings.ServeHere || !ok {
		return "", nil
	}
	served, ok := l.locate(l.index.Snapshot(), name)
	if !ok {
		return "", ErrNotFound
	}
	if served.private || !IsInert(served.Mime) {
		return "", nil
	}
	if p.Other != nil {
		if _, err := p.Other.Stat(ctx, served.Name); !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if serve != settings.ServeRedirect {
		return serve + "/" + served.Name, nil
	}
	return bucket.Address(ctx, served.Name, ServedType(served.Mime))
}

// IsInert reports whether browsers only show a file of that type: pictures except drawings,
// sound, film and plain text. An imported type may have any spelling; one that cannot be
// parsed is not inert.
func IsInert(written string) bool {
	full, _, err := mime.ParseMediaType(written)
	if err != nil {
		return false
	}
	switch {
	case strings.HasPrefix(full, "image/"):
		return !strings.Contains(full, "xml")
	case strings.HasPrefix(full, "audio/"), strings.HasPrefix(full, "video/"):
		return true
	}
	return full == "text/plain"
}

// ServedType returns the Content-Type of a file; text counts as UTF-8.
func ServedType(kind string) string {
	switch {
	case kind == "":
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"):
		return kind + "; charset=utf-8"
	}
	return kind
}
