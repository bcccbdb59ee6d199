package gitignore

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// mostBytes is how much of one file with patterns is read.
const mostBytes = 1 << 20

// Committed reports whether git would commit a file: there is a working tree around it, and
// no pattern there ignores the file or a folder above it. Files that cannot be read count
// for nothing.
func Committed(file string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	root, ok := workingTree(filepath.Dir(file))
	return ok && !ignoredBelow(root, file, patternsIn(filepath.Join(root, ".git", "info", "exclude")))
}

// Ignored reports whether the patterns in a folder and below it ignore a file.
func Ignored(folder, file string) bool { return ignoredBelow(folder, file, nil) }

// workingTree is the nearest folder with a .git in it.
func workingTree(folder string) (root string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder, true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", false
		}
		folder = above
	}
}

// ignoredBelow goes from a folder down to a file.
func ignoredBelow(root, file string, before []pattern) bool {
	rest, err := filepath.Rel(root, file)
	if err != nil || rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
		return false
	}
	steps := strings.Split(filepath.ToSlash(rest), "/")
	all := [][]pattern{before} // by folder, from the root on
	for i := range steps {
		folder := filepath.Join(root, filepath.Join(steps[:i]...))
		all = append(all, patternsIn(filepath.Join(folder, ".gitignore")))
		if ignored(all, steps[:i+1], i+1 < len(steps)) {
			return true
		}
	}
	return false
}

// ignored reports what the last pattern that fits a path says. The first patterns are those
// of the whole tree, the next those of its root.
func ignored(all [][]pattern, steps []string, folder bool) (ignored bool) {
	for depth, list := range all {
		below := strings.Join(steps[max(depth-1, 0):], "/")
		for _, p := range list {
			if (folder || !p.folders) && p.form.MatchString(below) {
				ignored = !p.not
			}
		}
	}
	return ignored
}

// patternsIn reads the patterns of a file; none of a link, which git does not follow, nor of
// what may never end.
func patternsIn(name string) []pattern {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil
	}
	return parse(string(text))
}
