package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// writeDebian writes a Debian package with the program, its units, manual and completions.
// It enables nothing: quire.service serves /srv/quire, which the user must create first.
func writeDebian(o options, p *program, pages []file) error {
	work, err := os.MkdirTemp("", "quire-debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	all, err := writeUnits(o.root, work)
	if err != nil {
		return err
	}
	all = append(all, file{p.path, "/usr/bin/quire", 0o755}, file{filepath.Join(o.root, "LICENSE"), "/usr/share/doc/quire/copyright", 0o644})
	for _, page := range pages {
		all = append(all, file{page.from, installed(page), 0o644})
	}
	list, err := debianContents(work, all, p)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "quire", Arch: p.arch, Platform: "linux", Version: p.version(), VersionSchema: "semver", MTime: p.committed,
		Section: "web", Priority: "optional", Maintainer: "The Quire authors <maintainers@users.noreply.quire.example>",
		Description: "Headless CMS that serves the content API of Strapi 5\nOne program and one data file.", License: "MIT",
		Overridables: nfpm.Overridables{Contents: list},
	})
	out, err := os.Create(filepath.Join(o.out, "quire_"+p.version()+"_"+p.arch+".deb"))
	if err != nil {
		return err
	}
	return errors.Join(deb.Default.Package(info, out), out.Close())
}

// debianContents lists the files of the package. Manual pages are compressed, as Debian
// requires.
func debianContents(work string, all []file, p *program) (files.Contents, error) {
	var list files.Contents
	for _, f := range all {
		if filepath.Ext(f.name) == ".gz" {
			compressed := filepath.Join(work, filepath.Base(f.name))
			if err := compress(f.from, compressed); err != nil {
				return nil, err
			}
			f.from = compressed
		}
		list = append(list, &files.Content{Source: f.from, Destination: f.name, FileInfo: &files.ContentFileInfo{Mode: f.mode, MTime: p.committed}})
	}
	return list, nil
}
