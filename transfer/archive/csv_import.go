package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"quire/schema"
)

// Finder returns the documentIds of the documents of a type with a text in a unique
// attribute.
type Finder func(t *schema.Type, a *schema.Attribute, text string) (documentIDs []string, err error)

// LinesOfCSV writes the JSON lines that are equivalent to the rows of a table, for
// ImportLines. The line of a row has the same number as the line in which the row begins,
// so that errors name it. name is the name of the file in errors. Rows that cannot be read
// are *Problems, each with line and column; then the written lines must not be used. find
// may be nil if no column identifies links by a unique attribute.
func LinesOfCSV(ctx context.Context, name string, r io.Reader, t *schema.Type, o CSVOptions, find Finder, w io.Writer) error {
	c := &csvImport{t: t, options: o, find: find, file: name, out: bufio.NewWriterSize(w, 64<<10), at: 1}
	in, err := newCSVReader(r, o.Separator)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := c.header(in); err != nil {
		return err
	}
	for {
		row, line, err := in.read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = c.row(row, line)
		} else {
			c.problems.List = append(c.problems.List, &LineError{name, line, err})
			return &c.problems // the rest cannot be separated into cells
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	if err := c.problems.err(); err != nil {
		return err
	}
	return c.out.Flush()
}

// NeedsFinder reports whether a column of the header identifies links by a unique
// attribute.
func NeedsFinder(name string, r io.Reader, t *schema.Type, o CSVOptions) (bool, error) {
	c := &csvImport{t: t, options: o, file: name}
	in, err := newCSVReader(r, o.Separator)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	err = c.header(in)
	for _, column := range c.columns {
		if column.unique != nil {
			return true, err
		}
	}
	return false, err
}

// csvImport turns a table into lines.
type csvImport struct {
	t        *schema.Type
	options  CSVOptions
	find     Finder
	file     string
	columns  []column
	out      *bufio.Writer
	at       int // number of the next line
	problems Problems
}

// header reads the first row.
func (c *csvImport) header(in *csvReader) error {
	row, line, err := in.read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty; its first line must name the columns", c.file)
	}
	if err != nil {
		return &Problems{List: []error{&LineError{c.file, line, err}}}
	}
	seen := map[string]bool{}
	for _, one := range row {
		name := strings.TrimSpace(one.text)
		found, err := findColumn(c.t, name)
		switch {
		case err != nil && len(row) == 1 && strings.ContainsAny(name, ",;|\t"):
			err = fmt.Errorf("the header has one column, %.40q; set the separator with --separator", name)
		case err == nil && seen[name]:
			err = errors.New("it occurs twice")
		case err == nil:
			err = overlap(seen, name)
		}
		seen[name] = true
		c.columns = append(c.columns, found)
		if err != nil {
			if err := c.problems.add(&LineError{c.file, line, fmt.Errorf("column %.60q: %w", name, err)}); err != nil {
				return err
			}
		}
	}
	in.most = len(row)
	return c.problems.err()
}

// overlap refuses a column that is part of another one.
func overlap(seen map[string]bool, name string) error {
	for other := range seen {
		if strings.HasPrefix(name, other+".") || strings.HasPrefix(other, name+".") {
			return fmt.Errorf("the column %q says the same", other)
		}
	}
	return nil
}

// row writes the line of one row. An error ends the import.
func (c *csvImport) row(row []cell, line int) error {
	if len(row) < len(c.columns) {
		return c.problems.add(&LineError{c.file, line, fmt.Errorf("the row has %d cells, and the header %d", len(row), len(c.columns))})
	}
	document := map[string]any{"type": c.t.UID}
	data := map[string]any{}
	bad := false
	for i := range c.columns {
		column, one := &c.columns[i], row[i]
		if c.options.Spreadsheet {
			one.text = fromSpreadsheet(one.text)
		}
		if column.path == nil {
			if one.text != "" {
				document[column.name] = one.text
			}
			continue
		}
		value, err := c.value(column, one)
		if err != nil {
			bad = true
			if err := c.problems.add(&LineError{c.file, line, fmt.Errorf("column %s: %w", column.name, err)}); err != nil {
				return err
			}
			continue
		}
		putAt(data, column.path, value)
	}
	if bad || len(c.problems.List) > 0 {
		return nil // nothing will be imported
	}
	document["data"] = whole(data)
	return c.write(document, line)
}

// putAt puts a value at a path.
func putAt(data map[string]any, path []*schema.Attribute, value json.RawMessage) {
	for _, a := range path[:len(path)-1] {
		below, ok := data[a.Name].(map[string]any)
		if !ok {
			below = map[string]any{}
			data[a.Name] = below
		}
		data = below
	}
	data[path[len(path)-1].Name] = value
}

// whole returns data with null for each component without any value.
func whole(data map[string]any) map[string]any {
	for name, value := range data {
		if below, ok := value.(map[string]any); ok && isNothing(whole(below)) {
			data[name] = nil
		}
	}
	return data
}

func isNothing(data map[string]any) bool {
	for _, value := range data {
		if raw, ok := value.(json.RawMessage); value != nil && !(ok && (string(raw) == "null" || string(raw) == "[]")) {
			return false
		}
	}
	return true
}

// write writes a line, after empty lines up to its number.
func (c *csvImport) write(document map[string]any, line int) error {
	raw, err := json.Marshal(document)
	if err != nil {
		return err
	}
	for ; c.at < line; c.at++ {
		if err := c.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	c.at++
	_, err = c.out.Write(append(bytes.TrimSpace(raw), '\n'))
	return err
}
