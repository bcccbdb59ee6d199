package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// program is one built executable.
type program struct {
	name, tags string // "quire" and no tags, or "quire-cluster"
	os, arch   string // as GOOS and GOARCH
	path       string
	info       *debug.BuildInfo
	committed  time.Time // the time of all files in the release
}

// targets returns the programs of a release, grouped by kind.
func targets() []*program {
	var all []*program
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, &program{name: "quire", os: os, arch: arch})
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		all = append(all, &program{name: "quire-cluster", tags: "cluster", os: "linux", arch: arch})
	}
	return all
}

// buildAll builds the programs that the options select.
func buildAll(o options, work string) ([]*program, error) {
	all := slices.DeleteFunc(targets(), func(p *program) bool { return o.only != "" && o.only != p.os+"/"+p.arch })
	if len(all) == 0 {
		return nil, fmt.Errorf("-only %s: no release has programs for it", o.only)
	}
	for _, p := range all {
		if err := p.build(o.root, work); err != nil {
			return nil, fmt.Errorf("building %s for %s/%s: %w", p.name, p.os, p.arch, err)
		}
		fmt.Println("built", p.file())
	}
	return all, nil
}

// build builds a program, and reads back what Go recorded in it.
func (p *program) build(root, work string) error {
	path, err := filepath.Abs(filepath.Join(work, p.name+"-"+p.os+"-"+p.arch))
	if err != nil {
		return err
	}
	c := exec.Command("go", "build", "-buildvcs=true", "-trimpath", "-ldflags", "-s -w", "-tags", p.tags, "-o", path, ".")
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+p.os, "GOARCH="+p.arch)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	p.path = path
	if p.info, err = buildinfo.ReadFile(path); err != nil {
		return err
	}
	for _, s := range p.info.Settings {
		if s.Key == "vcs.time" {
			p.committed, err = time.Parse(time.RFC3339, s.Value)
			return err
		}
	}
	return fmt.Errorf("%s is not a checkout of git: the program has no commit", root)
}

// version returns the version that Go recorded, without the v: "1.2.3", or
// "0.0.0-20260102030405-0123456789ab" between tags.
func (p *program) version() string { return strings.TrimPrefix(p.info.Main.Version, "v") }

// file returns the name of the files about the program, without an extension.
func (p *program) file() string {
	return fmt.Sprintf("%s_%s_%s_%s", p.name, p.version(), p.os, p.arch)
}

// executable returns the name of the installed program.
func (p *program) executable() string {
	if p.os == "windows" {
		return p.name + ".exe"
	}
	return p.name
}
