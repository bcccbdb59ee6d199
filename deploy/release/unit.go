package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// unitFile writes the unit of deploy/quire.service for a program in /usr/bin, where
// packages install, and returns its path.
func unitFile(root string) (string, error) {
	unit, err := os.ReadFile(filepath.Join(root, "deploy", "quire.service"))
	if err != nil {
		return "", err
	}
	local, packaged := []byte("ExecStart=/usr/local/bin/quire "), []byte("ExecStart=/usr/bin/quire ")
	if bytes.Count(unit, local) != 1 {
		return "", fmt.Errorf("deploy/quire.service does not start /usr/local/bin/quire")
	}
	f, err := os.CreateTemp("", "quire-*.service")
	if err != nil {
		return "", err
	}
	_, err = f.Write(bytes.Replace(unit, local, packaged, 1))
	return f.Name(), errors.Join(err, f.Close())
}

// compress writes a file compressed, the same bytes each time.
func compress(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}
