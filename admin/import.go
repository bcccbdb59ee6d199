package admin

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/auth/people"
	"quire/server"
)

// FileForm is the form of the file of an import.
type FileForm string

// The forms of files that can be imported.
const (
	FormLines   FileForm = "lines"
	FormArchive FileForm = "archive"
	FormSealed  FileForm = "sealed" // an encrypted archive, or a file that cannot be imported
)

// ImportForm says how a file is imported.
type ImportForm struct {
	Existing   string `json:"existing"`   // what happens to existing content: "refuse", "merge" or "replace"
	SkipErrors bool   `json:"skipErrors"` // leave out what cannot be imported
	Key        string `json:"key"`        // of an encrypted archive; no response contains it
}

// ImportPlan describes what an import would do. With problems it would do nothing.
type ImportPlan struct {
	Existing   string         `json:"existing"`
	SkipErrors bool           `json:"skipErrors"`
	Types      []TypeThen     `json:"types"`    // before and after
	Taken      []PlanCount    `json:"taken"`    // by kind: the uid of a type, files
	Left       []PlanOmission `json:"left"`     // what is left out, and why
	Skipped    []string       `json:"skipped"`  // the first items that cannot be imported, with file and place
	Skips      int            `json:"skips"`    // their number
	Problems   []string       `json:"problems"` // the first problems, with file and place
	More       bool           `json:"more"`     // there may be more problems
}

// PlanCount is a number of items of one kind.
type PlanCount struct {
	What string `json:"what"`
	N    int    `json:"n"`
}

// PlanOmission is the number of items of one kind that are left out, and why.
type PlanOmission struct {
	What string `json:"what"`
	N    int    `json:"n"`
	Why  string `json:"why"`
}

// Limits of the form of an import.
const (
	longestFileName = 255  // characters
	longestKey      = 1000 // bytes
)

// receiveFile takes the file of an import. Its name is only shown, and never used as a
// path.
func receiveFile(x *request) error {
	name := x.http.URL.Query().Get("name")
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > longestFileName || strings.ContainsFunc(name, unicode.IsControl) {
		return queryProblem("name", fmt.Sprintf("name is what the file is called, in at most %d characters", longestFileName))
	}
	most := x.admin.Server.Site(x.http).Settings.Limits.ImportBytes
	err := x.admin.Server.ReadFile(x.http, most, func(file io.Reader) error {
		return x.admin.Transfers.Receive(x.http.Context(), name, file)
	})
	if err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusCreated, x.admin.Transfers.Transfer())
}

func discardFile(x *request) error {
	if err := x.admin.Transfers.Discard(); err != nil {
		return transferProblem(err)
	}
	return x.empty()
}

func planImport(x *request, f *ImportForm) error {
	switch f.Existing {
	case "refuse", "merge", "replace":
	default:
		return server.KeyProblem("existing", "existing is refuse, merge or replace")
	}
	if len(f.Key) > longestKey {
		return server.KeyProblem("key", fmt.Sprintf("A key has at most %d bytes", longestKey))
	}
	if err := x.admin.Transfers.PlanImport(x.http.Context(), *f); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}

// importForm is the confirmation: the plan that it is for, and what a restore requires.
type importForm struct {
	Planned string `json:"planned"` // startedAt of the plan
	Site    string `json:"site"`
	people.Proof
}

func beginImport(x *request, f *importForm) error {
	planned, err := time.Parse(time.RFC3339Nano, f.Planned)
	if err != nil {
		return server.KeyProblem("planned", "planned is when the plan was begun")
	}
	if err := x.secondLook(f.Site, f.Proof); err != nil {
		return err
	}
	if err := x.admin.Transfers.Import(x.http.Context(), planned); err != nil {
		return transferProblem(err)
	}
	return x.answerData(http.StatusAccepted, x.admin.Transfers.Transfer())
}
