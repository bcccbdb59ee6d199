package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type pkg struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Licence string `json:"licence"`
}

// licencesOf returns the packages that inputs belong to, and the texts of their licences as
// one file.
func licencesOf(web string, inputs []string) ([]pkg, []byte, error) {
	dirs := map[string]bool{}
	for _, input := range inputs {
		if dir := packageOf(input); dir != "" {
			dirs[dir] = true
		}
	}
	var packages []pkg
	var texts bytes.Buffer
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		p, text, err := readPackage(filepath.Join(web, dir))
		if err != nil {
			return nil, nil, err
		}
		packages = append(packages, p)
		fmt.Fprintf(&texts, "%s %s (%s)\n\n%s\n\n", p.Name, p.Version, p.Licence, strings.TrimSpace(text))
	}
	return packages, texts.Bytes(), nil
}

// packageOf returns the folder of the package of the file; "" for our own.
func packageOf(input string) string {
	parts := strings.Split(input, "/")
	at := slices.Index(parts, "node_modules")
	if at < 0 || at+1 >= len(parts) {
		return ""
	}
	end := at + 2
	if strings.HasPrefix(parts[at+1], "@") {
		end++
	}
	return strings.Join(parts[:end], "/")
}

func readPackage(dir string) (pkg, string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return pkg{}, "", err
	}
	var described struct{ Name, Version, License string }
	if err := json.Unmarshal(text, &described); err != nil {
		return pkg{}, "", fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENCE", "license", "LICENSE.txt"} {
		if licence, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return pkg{described.Name, described.Version, described.License}, string(licence), nil
		}
	}
	return pkg{}, "", fmt.Errorf("%s has no licence file", dir)
}
