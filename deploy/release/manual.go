package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// writeManual writes the manual pages and the completions into a folder, and returns
// them under the names that they have in an archive. The checkout makes them itself,
// from its commands.
func writeManual(root, folder string, p *program) ([]file, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	c := exec.Command("go", "run", "./deploy/manual", folder)
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "QUIRE_VERSION="+p.version(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(p.committed.Unix(), 10))
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("writing the manual: %w", err)
	}
	var all []file
	for _, pattern := range []string{"man/*.1", "completions/*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no %s in the manual (%w)", pattern, err)
		}
		for _, path := range found {
			all = append(all, file{path, filepath.Dir(pattern) + "/" + filepath.Base(path), 0o644})
		}
	}
	return all, nil
}

// installed returns where Debian installs a page of the manual or a completion.
func installed(f file) string {
	name := filepath.Base(f.name)
	switch {
	case strings.HasPrefix(f.name, "man/"):
		return "/usr/share/man/man1/" + name + ".gz"
	case name == "quire.bash":
		return "/usr/share/bash-completion/completions/quire"
	case name == "quire.fish":
		return "/usr/share/fish/vendor_completions.d/quire.fish"
	}
	return "/usr/share/zsh/vendor-completions/" + name
}
