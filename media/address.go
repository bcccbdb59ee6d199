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
	// Address is where anybody may fetch the file for a while.
	Address(ctx context.Context, name, kind string) (string, error)
}

// Address is where browsers fetch what the url /uploads/NAME stands for, if site.json has
// them sent there; it is empty for what this server hands out itself. That is whatever is
// not in the bucket, and what could run a script: the policy that keeps it from doing so
// is this server's. The error is ErrNotFound for what no record names.
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
	if !IsInert(served.Mime) {
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

// IsInert reports whether browsers do no more than show a file of that type:
// pictures but for drawings, sound, film and plain text. A type that an import has
// brought may be written in any way; one that cannot be read is not inert.
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

// ServedType is the Content-Type of a file; text is taken for UTF-8.
func ServedType(kind string) string {
	switch {
	case kind == "":
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"):
		return kind + "; charset=utf-8"
	}
	return kind
}
