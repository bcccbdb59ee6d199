package gitignore

import (
	"errors"
	"fmt"
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
			if p.fits(below, folder) {
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

// Add adds a folder inside another one to the .gitignore of that, which it makes if there is
// none, and returns the line that it adds; empty if a pattern there ignores it already, or
// if the folder is not inside. With dry it changes nothing.
func Add(root, folder string, dry bool) (line string, err error) {
	rest, err := filepath.Rel(root, folder)
	if err != nil || rest == "." || !filepath.IsLocal(rest) || Ignored(root, filepath.Join(folder, "file")) {
		return "", nil
	}
	line = "/" + escape(filepath.ToSlash(rest)) + "/"
	name := filepath.Join(root, ".gitignore")
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s %w", name, ErrNoFile)
	}
	if !dry {
		err = appendLine(name, line)
	}
	return line, err
}

// ErrNoFile: a .gitignore is a link, a folder or a pipe. Git reads none of them.
var ErrNoFile = errors.New("is not a file: git does not read it. Replace it with a file, or remove it")

// appendLine adds a line of its own to a file, which it makes if there is none.
func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if last[0] != '\n' {
		line = "\n" + line
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
