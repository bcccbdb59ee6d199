package backup

import (
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"quire/media"
)

// Format is the version of the format of backups that this program writes. It refuses a
// newer one.
const Format = 1

// The names in a backup.
const (
	aboutName    = "about.json"
	dataName     = "quire.db"
	uploadsName  = "uploads/"
	manifestName = "manifest.json"
)

// About describes the origin of a backup.
type About struct {
	Format     int       `json:"format"`             // of the backup
	Program    string    `json:"program"`            // version of the program that made it
	Made       time.Time `json:"made"`               // time of the backup
	Schemas    string    `json:"schemas,omitempty"`  // fingerprint of the site folder; empty if it could not be read
	Revision   uint64    `json:"revision"`           // of the last commit in the data file
	DataFormat int       `json:"dataFormat"`         // of the data file
	Schedule   string    `json:"schedule,omitempty"` // id of the data folder whose schedule made it; empty for a command's
	Missing    []string  `json:"missing,omitempty"`  // uploads that are in records, and were missing

	// Bucket is where the uploads of a site with an object store are: "s3://guide/files".
	// InBucket is the number of uploads that the backup leaves out, and FromBucket the
	// number that it contains from there.
	Bucket     string `json:"bucket,omitempty"`
	InBucket   int    `json:"inBucket,omitempty"`
	FromBucket int    `json:"fromBucket,omitempty"`
}

// makePrintable replaces what a terminal could take for a command. Another server may have
// made the backup.
func (a *About) makePrintable() {
	a.Program, a.Schemas, a.Bucket = printable(a.Program), printable(a.Schemas), printable(a.Bucket)
	for i, name := range a.Missing {
		a.Missing[i] = printable(name)
	}
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// Manifest lists the content of a backup.
type Manifest struct {
	About
	Files []File // the data file, then the uploads by name
}

// File is one file in a backup.
type File struct {
	Name string `json:"name"` // "quire.db", "uploads/a_1.jpg"
	Size int64  `json:"size"` // bytes
	Sum  Sum    `json:"sha256"`

	// Gone is an upload that was removed from the bucket before it could be fetched. The
	// backup lists it last, does not contain it, and counts it as missing.
	Gone bool `json:"gone,omitempty"`
}

// Sum is a SHA-256.
type Sum [32]byte

func (s Sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(s)) {
		return hex.ErrLength
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// Size returns the total size of the files.
func (m *Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

// lose counts uploads that could not be fetched from the bucket as missing.
func (m *Manifest) lose(gone []File) {
	for _, f := range gone {
		name, _ := uploadName(f.Name)
		m.Missing = append(m.Missing, name)
	}
	m.FromBucket -= len(gone)
}

// Uploads returns the names of the uploads in their folder.
func (m *Manifest) Uploads() []string {
	var names []string
	for _, f := range m.Files {
		if name, ok := uploadName(f.Name); ok {
			names = append(names, name)
		}
	}
	return names
}

// uploadName returns the name in the folder of uploads of a file in a backup.
func uploadName(name string) (string, bool) {
	upload, ok := strings.CutPrefix(name, uploadsName)
	return upload, ok && media.SafeName(upload)
}
