package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

// units are the units of the folder deploy that are in the Debian package.
var units = []string{"quire.service", "quire-pull.service", "quire-pull.timer"}

// writeUnits writes the units into a folder, for a program in /usr/bin, where packages
// install.
func writeUnits(root, folder string) (all []file, err error) {
	local, packaged := []byte("=/usr/local/bin/quire "), []byte("=/usr/bin/quire ")
	for _, name := range units {
		unit, err := os.ReadFile(filepath.Join(root, "deploy", name))
		if err != nil {
			return nil, err
		}
		if filepath.Ext(name) == ".service" && !bytes.Contains(unit, local) {
			return nil, fmt.Errorf("deploy/%s does not start /usr/local/bin/quire", name)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, bytes.ReplaceAll(unit, local, packaged), 0o644); err != nil {
			return nil, err
		}
		all = append(all, file{path, "/usr/lib/systemd/system/" + name, 0o644})
	}
	return all, nil
}

// compress writes a compressed file, the same bytes each time.
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
