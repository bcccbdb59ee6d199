package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// bundle is the output of admin/build: files that browsers load, compressed.
type bundle struct {
	manifest manifest
	files    map[string][]byte // by name without .gz
}

// manifest is the part of dist/manifest.json that is read here.
type manifest struct {
	Hash    string          `json:"hash"`
	Files   map[string]size `json:"files"`
	Preload []string        `json:"preload"`
}

type size struct {
	Bytes int    `json:"bytes"`
	Gzip  int    `json:"gzip"`
	SHA   string `json:"sha256"`
}

// readBundle reads a folder that admin/build wrote.
func readBundle(folder fs.FS) (*bundle, error) {
	text, err := fs.ReadFile(folder, "manifest.json")
	if err != nil {
		return nil, err
	}
	b := &bundle{files: map[string][]byte{}}
	if err := json.Unmarshal(text, &b.manifest); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	for name := range b.manifest.Files {
		if b.files[name], err = fs.ReadFile(folder, name+".gz"); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// serve sends a file that browsers may keep forever: another version has another URL.
func (b *bundle) serve(w http.ResponseWriter, r *http.Request, hash, name string) {
	compressed, known := b.files[name]
	if !known || hash != b.manifest.Hash {
		http.Error(w, "This file is of another version of the admin. Load the page again.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", contentType(name))
	h.Set("Vary", "Accept-Encoding")
	body := compressed
	if takesGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
	} else {
		var err error
		if body, err = decompress(compressed); err != nil {
			panic(err) // tests check the embedded files
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

func decompress(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// contentType returns the media type for the extension of a name. Only a few extensions are
// known, independent of the machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".map":
		return "application/json"
	}
	return "application/octet-stream"
}

// takesGzip reports whether the client accepts gzip.
func takesGzip(accepted []string) bool {
	for _, part := range strings.Split(strings.Join(accepted, ","), ",") {
		coding, parameters, err := mime.ParseMediaType(part)
		if err != nil || coding != "gzip" && coding != "*" {
			continue
		}
		weight, err := strconv.ParseFloat(parameters["q"], 64)
		return err != nil || weight > 0
	}
	return false
}
