package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// needsRoot skips a test that installs as root does.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
}

// answers runs a server until it has printed its address, and asks it once.
func answers(t *testing.T, server *exec.Cmd, address string) {
	t.Helper()
	ready, err := server.StdoutPipe()
	check(t, err)
	var log strings.Builder
	server.Stderr = &log
	check(t, server.Start())
	defer func() {
		server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, log.String())
		}
	}()
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the server printed nothing: %v", err)
	}
	go io.Copy(io.Discard, ready)
	response, err := http.Get("http://" + address + "/_ready")
	check(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("the server is not ready: %s", response.Status)
	}
}

// freeAddress is an address that nobody listens on. Its port is outside the range that
// systems give to connections, so it stays free.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// TestDebian: dpkg installs the package, its unit is valid and starts the server, and
// nothing is left of it after it is removed.
func TestDebian(t *testing.T) {
	needsRoot(t)
	root := t.TempDir()
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"} {
		check(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	check(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	output(t, "dpkg", "--root="+root, "--log=/dev/null", "--install", one(t, releaseOf(t), "quire_*.deb"))
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/quire.service"))
	check(t, err)
	start := ""
	for line := range strings.Lines(string(unit)) {
		if rest, found := strings.CutPrefix(line, "ExecStart="); found {
			start = strings.TrimSpace(rest)
		}
	}
	site := filepath.Join(root, "srv/quire")
	output(t, filepath.Join(root, "usr/bin/quire"), "new", site)
	words := strings.Fields(strings.NewReplacer("/usr/bin", root+"/usr/bin", "/var/lib", root+"/var/lib", "/srv", root+"/srv").Replace(start))
	server := exec.Command(words[0], words[1:]...)
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	server.Env = append(os.Environ(), "HOST="+host, "PORT="+port)
	answers(t, server, address)
	output(t, "dpkg", "--root="+root, "--log=/dev/null", "--remove", "quire")
	for _, file := range []string{"usr/bin/quire", "usr/lib/systemd/system/quire.service", "usr/lib/systemd/system/quire-pull.timer", "usr/share/man/man1/quire.1.gz"} {
		if _, err := os.Stat(filepath.Join(root, file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", file, err)
		}
	}
}

// TestUnits: systemd finds no fault with the units of the package.
func TestUnits(t *testing.T) {
	root := t.TempDir()
	output(t, "dpkg-deb", "--extract", one(t, releaseOf(t), "quire_*.deb"), root)
	for _, program := range []string{"usr/bin/systemctl", "bin/sh"} { // of the system, which the units start
		path := filepath.Join(root, program)
		check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)))
	}
	for _, unit := range units {
		if said := output(t, "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", "--root="+root, unit); strings.Contains(said, "quire") {
			t.Error(said)
		}
	}
}

// TestHomebrew: the formula installs the program and passes its own test, with a small
// stand-in for Homebrew, which is no package of Debian.
func TestHomebrew(t *testing.T) {
	prefix := t.TempDir()
	processor := map[string]string{"amd64": "intel", "arm64": "arm"}[runtime.GOARCH]
	output(t, "ruby", "testdata/brew.rb", one(t, releaseOf(t), "quire.rb"), prefix, "linux", processor)
	for _, file := range []string{"bin/quire", "share/man/man1/quire.1", "etc/bash_completion.d/quire", "share/zsh/site-functions/_quire"} {
		if _, err := os.Stat(filepath.Join(prefix, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestImage: the image for this architecture, unpacked, serves a site as the user that it names,
// without anything else in its root.
func TestImage(t *testing.T) {
	needsRoot(t)
	folder, root := t.TempDir(), t.TempDir()
	output(t, "tar", "-xf", one(t, releaseOf(t), "quire_*_image.tar"), "-C", folder)
	index, err := layout.ImageIndexFromPath(folder)
	check(t, err)
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("%+v (%v)", manifest, err)
	}
	if p := manifest.Manifests[0].Platform; p == nil || p.Architecture != runtime.GOARCH {
		t.Errorf("the image is for %v", p)
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	check(t, err)
	config, err := image.ConfigFile()
	check(t, err)
	unpack(t, image, root)
	output(t, filepath.Join(root, "quire"), "new", filepath.Join(root, "site"))
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	server := exec.Command(config.Config.Entrypoint[0], config.Config.Cmd...)
	server.Env, server.Dir = append(config.Config.Env, "HOST="+host, "PORT="+port), "/"
	server.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
	answers(t, server, address)
}

// unpack writes the layers of an image into a folder.
func unpack(t *testing.T, image v1.Image, root string) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers (%v)", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	check(t, err)
	defer content.Close()
	check(t, os.Chmod(root, 0o755))
	for r := tar.NewReader(content); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(t, err)
		path := filepath.Join(root, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			err = errors.Join(os.MkdirAll(path, 0o755), os.Chown(path, h.Uid, h.Gid))
		} else {
			err = write(path, os.FileMode(h.Mode), r)
		}
		check(t, err)
	}
}

func write(path string, mode os.FileMode, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
