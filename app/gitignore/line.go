package gitignore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Line is a line for the .gitignore of a folder, which ignores another one inside it.
type Line struct {
	Text string // empty where none is needed

	name          string // of the .gitignore
	before, after int64  // its size before and after Add, -1 where there was none
}

// ErrNoFile: a .gitignore is a link, a folder or a pipe. Git reads none of them.
var ErrNoFile = errors.New("is not a file: git does not read it. Replace it with a file, or remove it")

// LineFor is the line that the .gitignore of a folder needs to ignore another one. It needs
// none if a pattern there ignores that one already, or if that one is not inside.
func LineFor(root, folder string) (*Line, error) {
	l := &Line{name: filepath.Join(root, ".gitignore")}
	rest, err := filepath.Rel(root, folder)
	if err != nil || rest == "." || !filepath.IsLocal(rest) || Ignored(root, filepath.Join(folder, "file")) {
		return l, nil
	}
	if info, err := os.Lstat(l.name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s %w", l.name, ErrNoFile)
	}
	l.Text = "/" + regexp.MustCompile(`[*?\[\\ ]`).ReplaceAllString(filepath.ToSlash(rest), `\$0`) + "/"
	return l, nil
}

// Add adds the line, where one is needed, to the file, which it makes if there is none.
func (l *Line) Add() error {
	if l.Text == "" {
		return nil
	}
	l.before = -1
	if info, err := os.Stat(l.name); err == nil {
		l.before = info.Size()
	}
	f, err := os.OpenFile(l.name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	last, text := []byte{'\n'}, l.Text+"\n"
	if l.before > 0 {
		if _, err := f.ReadAt(last, l.before-1); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if last[0] != '\n' {
		text = "\n" + text
	}
	n, err := f.WriteString(text)
	l.after = max(l.before, 0) + int64(n)
	return errors.Join(err, f.Close())
}

// TakeBack takes back what Add has added. A file that somebody has changed since then stays.
func (l *Line) TakeBack() error {
	info, err := os.Lstat(l.name)
	switch {
	case l.after == 0 || err != nil || !info.Mode().IsRegular() || info.Size() != l.after:
		return nil
	case l.before < 0:
		return os.Remove(l.name)
	}
	return os.Truncate(l.name, l.before)
}
