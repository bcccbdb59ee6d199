package backup

import (
	"archive/tar"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// restoreBytes restores bytes that may be anything into a new folder. It demands
// that what is refused leaves nothing.
func restoreBytes(t testing.TB, b []byte) error {
	t.Helper()
	top := t.TempDir()
	path, folder := filepath.Join(top, "backup"), filepath.Join(top, "data")
	check(t, os.WriteFile(path, b, 0o600))
	check(t, os.Mkdir(folder, 0o700))
	_, err := Restore(t.Context(), path, folder, false, nil)
	_, again := Verify(t.Context(), path)
	if (err == nil) != (again == nil) {
		t.Errorf("restoring: %v, verifying: %v", err, again)
	}
	for name := range tree(t, top) {
		if known := name == "backup" || err == nil && (name == "data/quire.db" || strings.HasPrefix(name, "data/uploads/")); !known {
			t.Errorf("%v, and there is a file %s", err, name)
		}
	}
	if entries, _ := os.ReadDir(folder); err != nil && len(entries) > 0 {
		t.Errorf("%v, and the folder holds %v", err, entries)
	}
	return err
}

func TestHostileBackups(t *testing.T) {
	good := whole(t, part{name: "uploads/a_1", content: "a"}, part{name: "uploads/b_2", content: "b"})
	about, data, a, b, sums := good[0], good[1], good[2], good[3], good[4]
	check(t, restoreBytes(t, pack(t, good...)))
	as := func(name string) part { return part{name: name, content: "a"} }
	special := func(kind byte) part {
		return part{header: &tar.Header{Typeflag: kind, Name: "uploads/b_2", Linkname: "/etc/passwd"}}
	}
	with := func(upload part) []part { return []part{about, data, a, upload, manifestOf([]part{data, a, upload})} }
	for name, c := range map[string]struct {
		parts []part
		want  string
	}{
		"nothing":                     {nil, "is no backup of Quire"},
		"another tar file":            {[]part{{name: "x", content: "x"}}, `is no backup of Quire: it begins with "x"`},
		"no format":                   {[]part{{name: aboutName, content: "{}"}, data, sums}, "no format"},
		"a newer format":              {[]part{{name: aboutName, content: `{"format": 2}`}, data, sums}, "is a backup of format 2, and this program knows formats up to 1"},
		"about that is no JSON":       {[]part{{name: aboutName, content: `{`}}, "about.json"},
		"about that is huge":          {[]part{{name: aboutName, content: strings.Repeat(" ", mostAbout+1)}}, "bytes long"},
		"no data file":                {[]part{about, a, manifestOf([]part{a})}, "where the data file should be"},
		"nothing but a manifest":      {[]part{about, manifestOf(nil)}, "no data file"},
		"no manifest":                 {good[:4], "cut off"},
		"a way out":                   {with(as("uploads/../../evil")), `"uploads/../../evil"`},
		"an absolute name":            {with(as("/etc/passwd")), `"/etc/passwd"`},
		"a folder within":             {with(as("uploads/x/y")), `"uploads/x/y"`},
		"a hidden file":               {with(as("uploads/.x")), `"uploads/.x"`},
		"a backslash":                 {with(as(`uploads\x`)), "is called"},
		"another data file":           {with(as(dataName)), "is called"},
		"a link":                      {[]part{about, data, a, special(tar.TypeSymlink), sums}, "no plain file"},
		"a hard link":                 {[]part{about, data, a, special(tar.TypeLink), sums}, "no plain file"},
		"a device":                    {[]part{about, data, a, special(tar.TypeChar), sums}, "no plain file"},
		"a folder":                    {[]part{about, data, a, {header: &tar.Header{Typeflag: tar.TypeDir, Name: "uploads/"}}, sums}, "no plain file"},
		"an unknown property":         {[]part{about, data, {header: &tar.Header{Typeflag: tar.TypeReg, Name: "uploads/a_1", PAXRecords: map[string]string{"QUIRE.x": "1"}}}, sums}, "unknown property"},
		"a file twice":                {[]part{about, data, a, a, manifestOf([]part{data, a, a})}, "twice"},
		"files in no order":           {[]part{about, data, b, a, manifestOf([]part{data, b, a})}, "wrong place"},
		"another content":             {[]part{about, data, a, {name: b.name, content: "c"}, sums}, "uploads/b_2 is not what was written"},
		"another length":              {[]part{about, data, a, {name: b.name, content: "bb"}, sums}, "uploads/b_2 is not what was written"},
		"a file that is not listed":   {[]part{about, data, a, b, manifestOf([]part{data, a})}, "holds 3 files and lists 2"},
		"a file that is only listed":  {[]part{about, data, a, sums}, "holds 2 files and lists 3"},
		"a manifest that is no JSON":  {[]part{about, data, {name: manifestName, content: "["}}, "manifest.json"},
		"a manifest that is huge":     {[]part{about, data, {name: manifestName, content: strings.Repeat(" ", 2<<20)}}, "bytes long"},
		"a sum that is none":          {[]part{about, data, {name: manifestName, content: `[{"name": "quire.db", "size": 1, "sha256": "00"}]`}}, "manifest.json"},
		"something after the end":     {append(good[:5:5], a), "something follows"},
		"a size beyond all disks":     {[]part{about, {header: &tar.Header{Typeflag: tar.TypeReg, Name: dataName, Size: 1 << 50, Format: tar.FormatGNU}, content: "x"}}, "cut off"},
		"a data file that is none":    {[]part{about, {name: dataName, content: "x"}, manifestOf([]part{{name: dataName, content: "x"}})}, "holds a data file that is not a bbolt file"},
		"a data file that is empty":   {[]part{about, {name: dataName}, manifestOf([]part{{name: dataName}})}, "is empty"},
		"a data file that is cut off": {[]part{about, {name: dataName, content: data.content[:9000]}, manifestOf([]part{{name: dataName, content: data.content[:9000]}})}, "damaged when the backup was made"},
	} {
		t.Run(name, func(t *testing.T) {
			err := restoreBytes(t, pack(t, c.parts...))
			if !isFileError(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Nothing that a backup says about itself moves the cursor of a terminal, or clears it.
func TestBackupsThatWriteToTheTerminal(t *testing.T) {
	good := whole(t)
	good[0].content = `{"format": 1, "program": "quire \u001b[2Jé", "schemas": "\u0007", "bucket": "s3://\u009b2J", "missing": ["a\rb"]}`
	path := filepath.Join(t.TempDir(), "backup")
	check(t, os.WriteFile(path, pack(t, good...), 0o600))
	m, err := Verify(t.Context(), path)
	check(t, err)
	if m.Program != "quire \ufffd[2Jé" || m.Schemas != "\ufffd" || m.Bucket != "s3://\ufffd2J" || m.Missing[0] != "a\ufffdb" {
		t.Errorf("%q, %q, %q, %q", m.Program, m.Schemas, m.Bucket, m.Missing)
	}
	loud := part{header: &tar.Header{Typeflag: tar.TypeReg, Name: "uploads/\x1b[2J", PAXRecords: map[string]string{"QUIRE.x": "1"}}}
	if err := restoreBytes(t, pack(t, good[0], good[1], loud)); !isFileError(err) || strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("%q", err)
	}
}

func TestWhatIsNoBackup(t *testing.T) {
	for name, b := range map[string][]byte{
		"an empty file": {}, "text": []byte("hello"), "zeros": make([]byte, 100_000), "half a frame": {0x28, 0xb5, 0x2f, 0xfd},
	} {
		if err := restoreBytes(t, b); !isFileError(err) || !strings.Contains(err.Error(), "is no backup of Quire") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever byte is changed, or wherever the file is cut, it is seen; unless the same
// comes out, as there is more than one way to pack it.
func TestDamageIsSeen(t *testing.T) {
	good := pack(t, whole(t, part{name: "uploads/a_1", content: strings.Repeat("soup ", 100)})...)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		b := bytes.Clone(good)
		at := random.IntN(len(b))
		b[at] ^= byte(1 + random.IntN(255))
		if err := restoreBytes(t, b); !isFileError(err) && !bytes.Equal(unpack(t, b), unpack(t, good)) {
			t.Errorf("byte %d of %d changed: %v", at, len(b), err)
		}
		cut := random.IntN(len(good))
		if err := restoreBytes(t, good[:cut]); !isFileError(err) {
			t.Errorf("cut to %d of %d bytes: %v", cut, len(good), err)
		}
	}
}

// unpack is the archive within, nil if it cannot be unpacked.
func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := zstd.NewReader(bytes.NewReader(b))
	check(t, err)
	defer r.Close()
	archive, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return archive
}

// A backup that unpacks without end fills no disk.
func TestABombIsNotUnpacked(t *testing.T) {
	if testing.Short() {
		t.Skip("it unpacks a gigabyte")
	}
	source := &source{ctx: t.Context(), from: bytes.NewReader(make([]byte, 100))}
	if _, err := source.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	u := &unpacking{from: endless{}, packed: source}
	chunk, n := make([]byte, 1<<20), 0
	for {
		got, err := u.Read(chunk)
		if err != nil {
			if !strings.Contains(err.Error(), "unpacks to more than") {
				t.Error(err)
			}
			break
		}
		n += got
	}
	if most := freelyUnpacks + 100*mostUnpacked; n > most {
		t.Errorf("%d bytes of 100 came through, want at most %d", n, most)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func FuzzRestore(f *testing.F) {
	good := pack(f, whole(f, part{name: "uploads/a_1", content: "a"})...)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(pack(f, part{name: aboutName, content: aboutText}, part{name: "uploads/../x"}))
	f.Fuzz(func(t *testing.T, b []byte) { _ = restoreBytes(t, b) })
}

// FuzzParts reaches what lies behind the packing: a fuzzer does not guess sums.
func FuzzParts(f *testing.F) {
	f.Add(aboutText, "uploads/a_1", "a", "uploads/b_2", byte(tar.TypeReg))
	f.Add(aboutText, "uploads/../a", "a", "uploads/a_1/", byte(tar.TypeSymlink))
	f.Add(`{"format": 2}`, "quire.db", "", "manifest.json", byte(tar.TypeGNUSparse))
	data := whole(f)[1]
	f.Fuzz(func(t *testing.T, about, first, content, second string, kind byte) {
		if strings.ContainsRune(first+second, 0) || first == "" || second == "" {
			t.Skip("no tar file has such names")
		}
		a, b := part{name: first, content: content}, part{name: second, content: content}
		h := &tar.Header{Typeflag: kind, Name: second}
		if kind == tar.TypeReg {
			h.Size = int64(len(content))
		} else {
			b.content = ""
		}
		b.header = h
		for _, h := range []*tar.Header{h, {Typeflag: tar.TypeReg, Name: first, Size: int64(len(content))}} {
			if tar.NewWriter(new(bytes.Buffer)).WriteHeader(h) != nil {
				t.Skip("no tar file has such headers")
			}
		}
		_ = restoreBytes(t, pack(t, part{name: aboutName, content: about}, data, a, b, manifestOf([]part{data, a, b})))
	})
}
