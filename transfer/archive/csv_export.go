package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"quire/schema"
)

// ExportCSV writes the documents of one type to w as a table, which LinesOfCSV reads: a
// header, and a row for each version of a document and locale, or one for both if the draft
// equals the published version. Passwords are left out. With Spreadsheet it begins with a
// byte order mark, and lines end in CRLF.
func ExportCSV(ctx context.Context, from Origin, t *schema.Type, w io.Writer, o CSVOptions, m *Meter) (*Report, error) {
	report := &Report{}
	err := from.read(m, func(c *contents) error {
		x := &csvExporter{bufio.NewWriterSize(&meteredWriter{m, w}, 64<<10), o, columnsOf(t)}
		x.begin()
		if err := c.lines(ctx, t, report, x); err != nil {
			return err
		}
		return x.out.Flush()
	})
	return report, err
}

// csvExporter turns lines into rows.
type csvExporter struct {
	out     *bufio.Writer
	options CSVOptions
	columns []column
}

// begin writes the header.
func (x *csvExporter) begin() {
	if x.options.Spreadsheet {
		x.out.WriteString("\ufeff") // a bufio.Writer keeps its error until Flush
	}
	cells := make([]cell, len(x.columns))
	for i, c := range x.columns {
		cells[i] = cell{text: c.name}
	}
	x.cells(cells)
}

// Write writes the rows that are equivalent to whole lines.
func (x *csvExporter) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := x.row(line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

func (x *csvExporter) row(line []byte) error {
	var one struct {
		DocumentID, Locale, Status string
		Data                       map[string]json.RawMessage
	}
	if err := json.Unmarshal(line, &one); err != nil {
		return err
	}
	cells := make([]cell, len(x.columns))
	for i := range x.columns {
		switch c := &x.columns[i]; c.name {
		case idColumn:
			cells[i].text = x.safe(one.DocumentID)
		case localeColumn:
			cells[i].text = one.Locale
		case statusColumn:
			cells[i].text = one.Status
		default:
			var err error
			if cells[i], err = x.cell(c, one.Data); err != nil {
				return err
			}
		}
	}
	return x.cells(cells)
}

// cell returns the value in a column.
func (x *csvExporter) cell(c *column, data map[string]json.RawMessage) (cell, error) {
	for _, a := range c.path[:len(c.path)-1] {
		var below map[string]json.RawMessage
		if raw := data[a.Name]; raw != nil {
			if err := json.Unmarshal(raw, &below); err != nil {
				return cell{}, err
			}
		}
		data = below
	}
	a := c.attribute()
	raw := data[a.Name]
	switch {
	case raw == nil || string(raw) == "null":
		return cell{}, nil
	case a.Relation != nil:
		return cell{text: x.safe(linksText(raw))}, nil
	case raw[0] != '"' || a.Kind == schema.JSON || a.Kind == schema.Blocks:
		return cell{text: string(raw)}, nil
	}
	var text string
	err := json.Unmarshal(raw, &text)
	if a.Kind != schema.BigInteger {
		text = x.safe(text)
	}
	return cell{text, text == ""}, err
}

// linksText returns the text of a list of links in a cell.
func linksText(raw json.RawMessage) string {
	var ids []string
	strange := func(id string) bool {
		return id == "" || strings.Contains(id, listSeparator) || strings.HasPrefix(id, "[") || id != strings.TrimSpace(id)
	}
	switch {
	case string(raw) == "[]":
		return ""
	case json.Unmarshal(raw, &ids) != nil, slices.ContainsFunc(ids, strange):
		return string(raw)
	}
	return strings.Join(ids, listSeparator)
}

// safe returns a text that no spreadsheet takes for a formula, if that was requested.
func (x *csvExporter) safe(text string) string {
	if x.options.Spreadsheet {
		return toSpreadsheet(text)
	}
	return text
}

// cells writes a row.
func (x *csvExporter) cells(row []cell) error {
	for i, c := range row {
		if i > 0 {
			x.out.WriteByte(x.options.Separator)
		}
		if c.quoted || strings.ContainsAny(c.text, "\"\r\n"+string(x.options.Separator)) {
			c.text = `"` + strings.ReplaceAll(c.text, `"`, `""`) + `"`
		}
		x.out.WriteString(c.text)
	}
	end := "\n"
	if x.options.Spreadsheet {
		end = "\r\n"
	}
	_, err := x.out.WriteString(end)
	return err
}
