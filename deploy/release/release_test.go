package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// released is the release for this machine, in a folder that TestMain removes.
var released struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(released.folder)
	os.Exit(code)
}

// releaseOf is the folder of a release for this machine, made of the commit that is
// checked out: the tests see what users will get.
func releaseOf(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("what is tested here is for Linux")
	}
	released.once.Do(func() {
		if released.folder, released.err = os.MkdirTemp("", "quire-released-"); released.err == nil {
			released.err = releaseClone(filepath.Join(released.folder, "checkout"), filepath.Join(released.folder, "out"))
		}
	})
	if released.err != nil {
		t.Fatal(released.err)
	}
	return filepath.Join(released.folder, "out")
}

// releaseClone makes a clone of the repository, and a release of it for this machine.
func releaseClone(clone, out string) error {
	c := exec.Command("git", "clone", "--quiet", "--no-hardlinks", "../..", clone)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	return release(options{root: clone, out: out, url: "file://" + out, only: runtime.GOOS + "/" + runtime.GOARCH})
}

// one is the path of the file of a release that matches a pattern.
func one(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %v (%v)", pattern, found, err)
	}
	return found[0]
}

// output runs a program and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestSums: `sha256sum --check` accepts the release, and each file has its sum.
func TestSums(t *testing.T) {
	folder := releaseOf(t)
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = folder
	out, err := check.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(out), "\n"); lines != len(entries)-1 {
		t.Errorf("%d sums of %d files", lines, len(entries)-1)
	}
}

// TestSignature: ssh-keygen accepts the signature of the sums, and of nothing else.
func TestSignature(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	output(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path("key"))
	public, err := os.ReadFile(path("key.pub"))
	if err == nil {
		err = errors.Join(os.WriteFile(path("signers"), append([]byte("quire "), public...), 0o644), os.WriteFile(path("program"), []byte("program"), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	sums, err := writeSums(folder)
	if err == nil {
		err = sign(path("key"), sums)
	}
	if err != nil {
		t.Fatal(err)
	}
	verify := func() error {
		c := exec.Command("ssh-keygen", "-Y", "verify", "-f", path("signers"), "-I", "quire", "-n", "file", "-s", sums+".sig")
		in, err := os.Open(sums)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		c.Stdin = in
		return c.Run()
	}
	if err := verify(); err != nil {
		t.Errorf("the signature is refused: %v", err)
	}
	if err := os.WriteFile(sums, []byte("other sums"), 0o644); err != nil {
		t.Fatal(err)
	}
	if verify() == nil {
		t.Error("the signature is accepted for other sums")
	}
}

// TestSameBytes: another clone in another folder gives the same files.
func TestSameBytes(t *testing.T) {
	first := releaseOf(t)
	again := t.TempDir()
	check(t, releaseClone(filepath.Join(again, "elsewhere", "clone"), filepath.Join(again, "out")))
	entries, err := os.ReadDir(first)
	check(t, err)
	for _, e := range entries {
		if e.Name() == "quire.rb" || e.Name() == "SHA256SUMS" {
			continue // they hold the folder
		}
		a, err := sumOf(filepath.Join(first, e.Name()))
		check(t, err)
		if b, err := sumOf(filepath.Join(again, "out", e.Name())); err != nil || a != b {
			t.Errorf("%s is another file the second time (%v)", e.Name(), err)
		}
	}
}

// TestArchive: what is unpacked runs, and is the version that its name says.
func TestArchive(t *testing.T) {
	path := one(t, releaseOf(t), "quire_*.tar.gz")
	folder := t.TempDir()
	output(t, "tar", "-xzf", path, "-C", folder)
	name := strings.TrimSuffix(filepath.Base(path), ".tar.gz")
	version := strings.Split(name, "_")[1]
	if said := output(t, filepath.Join(folder, name, "quire"), "version"); !strings.HasPrefix(said, "quire v"+version+" ") {
		t.Errorf("%s prints %s", name, said)
	}
	for _, file := range []string{"LICENSE", "README.md", "man/quire-serve.1", "completions/quire.bash", "completions/_quire", "completions/quire.fish"} {
		if content, err := os.ReadFile(filepath.Join(folder, name, file)); err != nil || len(content) == 0 {
			t.Errorf("%s: %d bytes (%v)", file, len(content), err)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, name, "man/quire-serve.1"))
	if err != nil || !strings.Contains(string(page), "Quire "+version) {
		t.Errorf("the page does not name the version (%v)", err)
	}
	output(t, "bash", "-n", filepath.Join(folder, name, "completions/quire.bash"))
}

// TestBill: the bill names the modules that Go recorded in the program.
func TestBill(t *testing.T) {
	file, err := os.Open(one(t, releaseOf(t), "quire_*.cdx.json"))
	check(t, err)
	defer file.Close()
	var bill cdx.BOM
	check(t, json.NewDecoder(file).Decode(&bill))
	if bill.BOMFormat != "CycloneDX" || bill.Metadata.Component.Name != "quire" || bill.Components == nil {
		t.Fatalf("%+v", bill)
	}
	for _, name := range []string{"std", "go.etcd.io/bbolt", "github.com/julienschmidt/httprouter"} {
		if !slices.ContainsFunc(*bill.Components, func(c cdx.Component) bool { return c.Name == name && c.Version != "" }) {
			t.Errorf("the bill lacks %s", name)
		}
	}
}

func TestRefuses(t *testing.T) {
	used := t.TempDir()
	check(t, os.WriteFile(filepath.Join(used, "kept"), nil, 0o644))
	for _, c := range []struct {
		options
		says string
	}{
		{options{root: "../..", out: used}, "is not empty"},
		{options{root: "../..", out: filepath.Join(t.TempDir(), "out"), only: "plan9/amd64"}, "-only plan9/amd64"},
		{options{root: "../..", out: filepath.Join(t.TempDir(), "out"), key: "missing"}, "-key: "},
	} {
		if err := release(c.options); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.says)
		}
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
