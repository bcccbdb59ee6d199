package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"time"
)

// file is a file to be packed.
type file struct {
	from string // path on this machine
	name string // path in the archive
	mode os.FileMode
}

// contents returns the files of a program's archive.
func contents(o options, p *program, pages []file) []file {
	all := []file{
		{p.path, p.executable(), 0o755},
		{filepath.Join(o.root, "LICENSE"), "LICENSE", 0o644},
		{filepath.Join(o.root, "README.md"), "README.md", 0o644},
	}
	return append(all, pages...)
}

// writeArchive writes the archive of a program: a folder with its contents.
func writeArchive(o options, p *program, pages []file) error {
	extension, write := ".tar.gz", writeTarGzip
	if p.os == "windows" {
		extension, write = ".zip", writeZip
	}
	out, err := os.Create(filepath.Join(o.out, p.file()+extension))
	if err != nil {
		return err
	}
	if err := write(out, p.file(), contents(o, p, pages), p.committed); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func writeTarGzip(out io.Writer, folder string, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		f.name = folder + "/" + f.name
		if err := addToTar(t, f, at); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

// addToTar adds a file that belongs to root.
func addToTar(t *tar.Writer, f file, at time.Time) error {
	content, err := os.ReadFile(f.from)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(content)), ModTime: at, Format: tar.FormatUSTAR}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = t.Write(content)
	return err
}

func writeZip(out io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(out)
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	return z.Close()
}
