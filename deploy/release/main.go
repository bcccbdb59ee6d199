package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	var o options
	flag.StringVar(&o.root, "root", "../..", "`folder` of the checkout")
	flag.StringVar(&o.out, "out", "", "`folder` for the files; it must be empty or missing")
	flag.StringVar(&o.url, "url", "", "`URL` from which the files will be downloaded, for Homebrew")
	flag.StringVar(&o.only, "only", "", "`OS/ARCH` to build for alone, such as linux/amd64")
	flag.StringVar(&o.key, "key", "", "`file` of the SSH key that signs SHA256SUMS; ssh-keygen must be installed")
	flag.Parse()
	if flag.NArg() > 0 || o.out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := release(o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct{ root, out, url, only, key string }

// release writes all files.
func release(o options) error {
	if left, err := os.ReadDir(o.out); err == nil && len(left) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or choose another folder with -out", o.out)
	}
	if o.key != "" {
		if _, err := os.Stat(o.key); err != nil {
			return fmt.Errorf("-key: %w", err)
		}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "quire-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	programs, err := buildAll(o, work)
	if err != nil {
		return err
	}
	pages, err := writeManual(o.root, filepath.Join(work, "manual"), programs[0])
	if err != nil {
		return err
	}
	for _, p := range programs {
		if err := pack(o, p, pages); err != nil {
			return fmt.Errorf("%s: %w", p.file(), err)
		}
	}
	if err := writeImages(o.out, programs); err != nil {
		return err
	}
	if err := writeFormula(o, programs); err != nil {
		return err
	}
	sums, err := writeSums(o.out)
	if err != nil || o.key == "" {
		return err
	}
	return sign(o.key, sums)
}

// pack writes the archive of a program, its bill of materials, and its Debian package.
func pack(o options, p *program, pages []file) error {
	if err := writeArchive(o, p, pages); err != nil {
		return err
	}
	if err := writeBill(o.out, p); err != nil {
		return err
	}
	if p.os != "linux" || p.tags != "" {
		return nil
	}
	return writeDebian(o, p, pages)
}
