package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// manifest is dist/manifest.json.
type manifest struct {
	// Hash is the hash of all files: it is in their URLs.
	Hash string `json:"hash"`
	// Files are the sizes in bytes, by name without .gz.
	Files map[string]size `json:"files"`
	// Preload are the scripts that main.js imports, so that they load in parallel with it.
	Preload []string `json:"preload"`
	// Packages are name@version and licence of the packages in the scripts.
	Packages []pkg `json:"packages"`
}

type size struct {
	Bytes int    `json:"bytes"`
	Gzip  int    `json:"gzip"`
	SHA   string `json:"sha256"` // of the file before compression, in hex
}

// distribution returns the files of dist by name: each built file, compressed, the licences
// of the packages in them, and the manifest.
func distribution(web string, built *bundled) (map[string][]byte, error) {
	packages, licences, err := licencesOf(web, built.inputs)
	if err != nil {
		return nil, err
	}
	m := manifest{Files: map[string]size{}, Packages: packages, Preload: preloads(built)}
	built.files["licences.txt"] = licences
	if built.compressed, err = compress(web, built.files); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(built.files)) {
		content, compressed := built.files[name], built.compressed[name]
		sum := sha256.Sum256(content)
		fmt.Fprintf(all, "%s %x\n", name, sum)
		files[name+".gz"] = compressed
		m.Files[name] = size{Bytes: len(content), Gzip: len(compressed), SHA: hex.EncodeToString(sum[:])}
	}
	m.Hash = hex.EncodeToString(all.Sum(nil))[:12]
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return nil, err
	}
	files["manifest.json"] = append(text, '\n')
	return files, nil
}

// preloads returns the scripts that main.js needs before it runs.
func preloads(built *bundled) []string {
	found := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		for _, imported := range built.imports[name] {
			if !found[imported] {
				found[imported] = true
				add(imported)
			}
		}
	}
	add("main.js")
	return slices.Sorted(maps.Keys(found))
}

// compress compresses files by name. It returns the same bytes for the same content, so it
// takes those from dist whose content is the same: compressing takes most of the time of a build.
func compress(web string, files map[string][]byte) (map[string][]byte, error) {
	compressed, rest := map[string][]byte{}, map[string][]byte{}
	for name, content := range files {
		stored, err := os.ReadFile(filepath.Join(web, "dist", name+".gz"))
		if err == nil && holds(stored, content) {
			compressed[name] = stored
		} else {
			rest[name] = content
		}
	}
	if len(rest) == 0 {
		return compressed, nil
	}
	input, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	command := exec.Command("node", "compress.mjs")
	command.Dir, command.Stdin, command.Stderr = web, bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("node compress.mjs: %w", err)
	}
	return compressed, json.Unmarshal(output, &compressed)
}

// holds reports whether content is what is in a compressed file.
func holds(compressed, content []byte) bool {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return false
	}
	held, err := io.ReadAll(r)
	return err == nil && bytes.Equal(held, content)
}

// replaceFolder makes files the content of the folder dir.
func replaceFolder(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compareFolder reports the files in which dir differs from files.
func compareFolder(dir string, files map[string][]byte) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		stored, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			problems = append(problems, err)
		} else if !bytes.Equal(stored, files[name]) {
			problems = append(problems, fmt.Errorf("dist/%s is not what the sources give", name))
		}
	}
	stored, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, err)
	}
	for _, file := range stored {
		if _, ok := files[file.Name()]; !ok {
			problems = append(problems, fmt.Errorf("dist/%s is not among what is built", file.Name()))
		}
	}
	if len(problems) > 0 {
		problems = append(problems, errors.New("build dist again with \"go run .\" in admin/build"))
	}
	return errors.Join(problems...)
}
