package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"quire/content"
	"quire/content/bulk"
	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// Source is a file of lines.
type Source struct {
	Name string // for display
	Size int64  // bytes; 0 if unknown

	// Open begins at the first line. It may be called again after the previous reader has
	// been closed.
	Open func() (io.ReadCloser, error)
}

// FileSource returns a Source for the file at that path.
func FileSource(name, path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }}, nil
}

// ImportLines imports documents written as JSON lines, each
//
//	{"type": "api::dish.dish", "documentId": "…", "locale": "en", "status": "draft", "data": {"name": "Soup"}}
//
// data has the form of a request's "data". Only type and data are required. A line creates
// a document, or adds a locale or a draft to one from an earlier line. Links name documents
// by documentId, including those of later lines.
//
// Everything is imported or, if a line is refused, nothing: the error is then *Problems.
// With Options.SkipErrors the result is the content of the lines that are not refused.
func ImportLines(ctx context.Context, db *store.DB, site *schema.Site, sources []Source, o Options) (*Report, error) {
	if err := checkLocalization(db, site, o); err != nil {
		return nil, err
	}
	l := &lineImport{site: site, sources: sources, options: o, skipped: map[lineNumber]error{}}
	for _, s := range sources {
		o.Meter.expect(s.Size)
	}
	for {
		err := db.Rework(func(work *store.DB) error { return l.run(ctx, work) })
		if !errors.Is(err, errAgain) {
			return &l.report, err
		}
	}
}

// errAgain reports that lines were refused only after others that rely on them had been
// read: the import begins again without them.
var errAgain = errors.New("lines have to be left out")

// lineNumber is a line.
type lineNumber struct{ source, line int }

func (p lineNumber) compare(q lineNumber) int {
	return cmp.Or(cmp.Compare(p.source, q.source), cmp.Compare(p.line, q.line))
}

// lineImport is one import of lines.
type lineImport struct {
	site    *schema.Site
	sources []Source
	options Options

	loader   *bulk.Loader
	late     []lineNumber // of the lines that may be refused only at the end
	loads    []*bulk.Load
	skipped  map[lineNumber]error
	problems Problems
	report   Report
}

func (l *lineImport) run(ctx context.Context, db *store.DB) (err error) {
	l.problems, l.report, l.late, l.loads = Problems{}, Report{}, nil, nil
	if l.options.Existing == Replace {
		if err := clearContent(db, l.site); err != nil {
			return err
		}
	}
	l.loader, err = bulk.NewLoader(db, l.site, content.WriterOptions{HashPassword: l.options.HashPassword})
	if err != nil {
		return err
	}
	defer l.loader.Close()
	for i := range l.sources {
		if err := l.read(ctx, i); err != nil {
			return err
		}
	}
	if err := l.problems.err(); err != nil {
		return err // lines that wait for the refused ones would be refused too
	}
	if err := l.loader.Finish(); err != nil {
		return err
	}
	if err := l.checkLate(); err != nil {
		return err
	}
	return l.options.conclude(ctx, db)
}

// clearContent deletes the site's own content; files, users and roles stay.
func clearContent(db *store.DB, site *schema.Site) error {
	return db.Update(func(tx *store.Tx) error {
		cleared := map[string]bool{}
		for t := range site.Served() {
			if err := tx.Clear(t.UID); err != nil {
				return err
			}
			cleared[t.UID] = true
		}
		return history.Clear(tx, func(uid string) bool { return cleared[uid] })
	})
}

func (l *lineImport) read(ctx context.Context, source int) (err error) {
	s := l.sources[source]
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	decode := func(line []byte, number int) *bulk.Load { return l.decode(ctx, line, number) }
	return eachLine(ctx, s.Name, l.options.Meter.reader(in), decode, func(one *bulk.Load) error { return l.take(lineNumber{source, one.Line}, one) })
}

// decode does the part that needs only the line itself. Several lines are decoded at a
// time.
func (l *lineImport) decode(ctx context.Context, line []byte, number int) *bulk.Load {
	one := bulk.DecodeLoad(l.site, line)
	one.Line = number
	if one.Err == nil && one.Type.BuiltIn {
		one.Err = fmt.Errorf("%s cannot be imported as lines; use an archive, or the API", one.Type.UID)
	}
	if one.Err == nil {
		one.Err = l.loader.Prepare(ctx, one.Request)
	}
	return one
}

// take loads one line. An error ends the import.
func (l *lineImport) take(at lineNumber, one *bulk.Load) error {
	l.options.Meter.count(1)
	if l.skipped[at] != nil {
		return nil
	}
	if one.Err == nil && l.options.Existing == Keep && l.loader.Existed(one.Request) {
		one.Err = fmt.Errorf("the site already has the document %s; a merge changes it", one.DocumentID)
	}
	waits, err := l.loader.Load(one)
	switch {
	case err != nil:
		return err
	case one.Err != nil:
		return l.refuse(at, one.Err)
	case waits:
		l.late, l.loads = append(l.late, at), append(l.loads, one)
	}
	l.report.add(one.Type.UID, 1)
	return nil
}

// refuse records a line that cannot be imported. It returns an error, which ends the
// import, if there are enough of them.
func (l *lineImport) refuse(at lineNumber, err error) error {
	if l.options.SkipErrors {
		l.skipped[at] = err
		return nil
	}
	return l.problems.add(l.lineError(at, err))
}

func (l *lineImport) lineError(at lineNumber, err error) error {
	return &LineError{l.sources[at.source].Name, at.line, err}
}

// checkLate refuses the lines that waited for others that never came.
func (l *lineImport) checkLate() error {
	again := false
	for i, one := range l.loads {
		if one.Err == nil {
			continue
		}
		if err := l.refuse(l.late[i], one.Err); err != nil {
			return err
		}
		again = true
	}
	if err := l.problems.err(); err != nil {
		return err
	}
	if again {
		return errAgain
	}
	for _, at := range slices.SortedFunc(maps.Keys(l.skipped), lineNumber.compare) {
		l.report.Skipped = append(l.report.Skipped, l.lineError(at, l.skipped[at]).Error())
	}
	return nil
}
