package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// ofFiles read the folder of the project, and nothing else. Each gets the name of the call
// for its error, and an absolute path.
var ofFiles = map[string]native{
	"read": func(m *machine, a arguments) (any, error) {
		b, err := m.read(a)
		return toLatin1(b), err
	},
	"readText": func(m *machine, a arguments) (any, error) {
		b, err := m.read(a)
		return strings.ToValidUTF8(string(b), string(utf8.RuneError)), err
	},
	"list": (*machine).nativeList,
	"stat": (*machine).nativeStat,
}

// JavaScript sees the paths of POSIX. Those of Windows have a slash before the drive, as in
// addresses of files: "/C:/site".
func toPosix(path string) string {
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return path
}

func fromPosix(path string) string {
	if rest := strings.TrimPrefix(path, "/"); filepath.VolumeName(rest) != "" {
		path = rest
	}
	return filepath.FromSlash(path)
}

// inside is a path relative to the project. What leads outside is refused here, and by the
// system if a symbolic link leads there.
func (m *machine) inside(a arguments) (string, error) {
	relative, err := filepath.Rel(m.e.o.Root, fromPosix(a.text(1)))
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("EACCES: permission denied, %s '%s': it is outside the project", a.text(0), a.text(1))
	}
	closed, path := strings.ToLower(m.e.o.Closed), strings.ToLower(relative)
	if closed != "" && (path == closed || strings.HasPrefix(path, closed+string(filepath.Separator))) {
		return "", fmt.Errorf("EACCES: permission denied, %s '%s': it is the data of the site", a.text(0), a.text(1))
	}
	return relative, nil
}

// asNode is an error of a file as Node has it.
func asNode(a arguments, err error) error {
	code := "EACCES: permission denied"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		code = "ENOENT: no such file or directory"
	case strings.Contains(err.Error(), "not a directory"):
		code = "ENOTDIR: not a directory"
	case strings.Contains(err.Error(), "is a directory"):
		code = "EISDIR: illegal operation on a directory"
	}
	return fmt.Errorf("%s, %s '%s'", code, a.text(0), a.text(1))
}

// lent is the path of a file that the code may read although it is outside of the project;
// empty for others.
func (m *machine) lent(a arguments) string {
	if path := fromPosix(a.text(1)); m.e.o.Lent != nil && m.e.o.Lent(path) {
		return path
	}
	return ""
}

// open opens a file by its absolute path or that in the project.
func (m *machine) open(path string) (*os.File, error) {
	path = fromPosix(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.e.o.Root, path)
	}
	return m.openFile(arguments{"open", toPosix(path)})
}

func (m *machine) openFile(a arguments) (*os.File, error) {
	if path := m.lent(a); path != "" {
		f, err := os.Open(path)
		return f, asNode(a, err)
	}
	path, err := m.inside(a)
	if err != nil {
		return nil, err
	}
	info, err := m.e.root.Stat(path)
	switch {
	case err != nil:
		return nil, asNode(a, err)
	case info.IsDir():
		return nil, fmt.Errorf("EISDIR: illegal operation on a directory, %s '%s'", a.text(0), a.text(1))
	case !info.Mode().IsRegular(): // opening or reading it may never end
		return nil, asNode(a, fs.ErrPermission)
	}
	f, err := m.e.root.Open(path)
	return f, asNode(a, err)
}

func (m *machine) read(a arguments) ([]byte, error) {
	f, err := m.openFile(a)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if len(b) > maxRead {
		return nil, fmt.Errorf("EFBIG: file too large, %s '%s': it has more than %d bytes", a.text(0), a.text(1), maxRead)
	}
	return b, asNode(a, err)
}

func (m *machine) nativeList(a arguments) (any, error) {
	path, err := m.inside(a)
	if err != nil {
		return nil, err
	}
	f, err := m.e.root.Open(path)
	if err != nil {
		return nil, asNode(a, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxListed)
	if err != nil && err != io.EOF {
		return nil, asNode(a, err)
	}
	type entry struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	all := []entry{}
	for _, e := range entries {
		all = append(all, entry{e.Name(), kindOf(e.Type())})
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(all)
	return string(text), err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode.IsRegular():
		return "file"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

// nativeStat: the name of the call, the path, whether to follow a link.
func (m *machine) nativeStat(a arguments) (any, error) {
	info, err := m.stat(a)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"kind": kindOf(info.Mode()), "size": info.Size(), "mtimeMs": info.ModTime().UnixMilli(), "mode": uint32(info.Mode().Perm())})
	return string(text), err
}

func (m *machine) stat(a arguments) (info os.FileInfo, err error) {
	if path := m.lent(a); path != "" {
		info, err = os.Stat(path)
		return info, asNode(a, err)
	}
	path, err := m.inside(a)
	switch {
	case err != nil:
		return nil, err
	case a.truth(2):
		info, err = m.e.root.Stat(path)
	default:
		info, err = m.e.root.Lstat(path)
	}
	return info, asNode(a, err)
}
