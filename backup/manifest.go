package backup

import (
	"encoding/hex"
	"strings"
	"time"

	"quire/media"
)

// Format is the version of the form of backups that this program writes. A newer
// one is refused.
const Format = 1

// The names in a backup.
const (
	aboutName    = "about.json"
	dataName     = "quire.db"
	uploadsName  = "uploads/"
	manifestName = "manifest.json"
)

// About is where a backup comes from.
type About struct {
	Format     int       `json:"format"`             // of the backup
	Program    string    `json:"program"`            // version of the program that made it
	Made       time.Time `json:"made"`               // when
	Schemas    string    `json:"schemas,omitempty"`  // fingerprint of the site folder; empty where it could not be read
	Revision   uint64    `json:"revision"`           // of the last commit in the data file
	DataFormat int       `json:"dataFormat"`         // of the data file
	Schedule   string    `json:"schedule,omitempty"` // id of the data folder whose schedule made it; empty for a command's
	Missing    []string  `json:"missing,omitempty"`  // uploads that records name, and that were not there

	// Bucket is where the uploads are of a site whose files lie in an object store:
	// "s3://guide/files". InBucket is how many of them the backup does not hold, and
	// FromBucket how many it holds that were fetched there.
	Bucket     string `json:"bucket,omitempty"`
	InBucket   int    `json:"inBucket,omitempty"`
	FromBucket int    `json:"fromBucket,omitempty"`
}

// Manifest is what a backup holds.
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
	// backup lists it last, does not hold it, and counts it to those that are missing.
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

// Size is how many bytes the files have together.
func (m *Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

// lose counts uploads to those that are missing, which were to be fetched from the bucket.
func (m *Manifest) lose(gone []File) {
	for _, f := range gone {
		name, _ := uploadName(f.Name)
		m.Missing = append(m.Missing, name)
	}
	m.FromBucket -= len(gone)
}

// Uploads are the names of the uploads, as they are in their folder.
func (m *Manifest) Uploads() []string {
	var names []string
	for _, f := range m.Files {
		if name, ok := uploadName(f.Name); ok {
			names = append(names, name)
		}
	}
	return names
}

// uploadName is the name in the folder of uploads of a file in a backup.
func uploadName(name string) (string, bool) {
	upload, ok := strings.CutPrefix(name, uploadsName)
	return upload, ok && media.SafeName(upload)
}
