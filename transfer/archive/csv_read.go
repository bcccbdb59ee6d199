package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// cell is one cell of a table.
type cell struct {
	text   string
	quoted bool // if it has no text, it is the empty text, and not null
}

// csvReader reads the rows of a table (RFC 4180): lines that end in LF or CRLF, quotes
// doubled in quoted cells. It skips a byte order mark and empty lines.
type csvReader struct {
	in        *bufio.Reader
	separator byte
	most      int // maximum cells of a row
	line      int // current line, from 1
	size      int // bytes of the row
	text      []byte
	row       []cell
}

func newCSVReader(r io.Reader, separator byte) (*csvReader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	begin, err := in.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(begin, []byte{0xff, 0xfe}), bytes.HasPrefix(begin, []byte{0xfe, 0xff}):
		return nil, errors.New("it is in UTF-16; save it as UTF-8")
	case bytes.Equal(begin, []byte{0xef, 0xbb, 0xbf}):
		_, err = in.Discard(len(begin))
	}
	if err == io.EOF {
		err = nil
	}
	return &csvReader{in: in, separator: separator, most: maxColumns, line: 1}, err
}

// read returns the next row and the line in which it begins, io.EOF after the last. The row
// is valid until the next call.
func (r *csvReader) read() (row []cell, line int, err error) {
	for {
		r.row, r.size, line = r.row[:0], 0, r.line
		end := false
		for !end {
			if end, err = r.cell(); err != nil {
				return nil, line, err
			}
		}
		if len(r.row) > 1 || r.row[0] != (cell{}) {
			return r.row, line, nil
		}
	}
}

// next returns the next byte, and counts lines.
func (r *csvReader) next() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, err
	}
	if r.size++; r.size > maxRow {
		return 0, fmt.Errorf("the row is longer than %d MiB; is a quote missing?", maxRow>>20)
	}
	if b == 0 {
		return 0, errors.New("there is a NUL; is it a text file in UTF-8?")
	}
	return b, nil
}

// cell reads one cell, and reports whether its row ends with it. At the end of the file the
// error is io.EOF if no row has begun.
func (r *csvReader) cell() (end bool, err error) {
	if len(r.row) == r.most {
		return false, fmt.Errorf("the row has more than the %d cells of the header", r.most)
	}
	r.text = r.text[:0]
	for {
		b, err := r.next()
		switch {
		case err == io.EOF && r.size == 0:
			return true, io.EOF
		case err == io.EOF:
			return true, r.add(false)
		case err != nil:
			return false, err
		case b == '"' && len(r.text) == 0:
			return r.quoted()
		case b == '"':
			return false, errors.New(`there is a " in a cell that does not begin with one; put the cell in quotes and double the " in it`)
		case b == r.separator:
			return false, r.add(false)
		case b == '\n':
			r.line++
			return true, r.add(false)
		case b == '\r':
			return true, errors.Join(r.lineFeed(), r.add(false))
		}
		r.text = append(r.text, b)
	}
}

// lineFeed reads the line feed that must follow a carriage return.
func (r *csvReader) lineFeed() error {
	if b, err := r.next(); err != nil && err != io.EOF || err == nil && b != '\n' {
		return errors.Join(errors.New("there is a carriage return without a line feed"), ignoreEOF(err))
	}
	r.line++
	return nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// quoted reads the rest of a cell that began with a quote.
func (r *csvReader) quoted() (end bool, err error) {
	for {
		b, err := r.next()
		switch {
		case err == io.EOF:
			return false, errors.New("the last cell has no closing quote")
		case err != nil:
			return false, err
		case b == '\n':
			r.line++
		case b == '"':
			if b, err = r.next(); err != io.EOF && err != nil {
				return false, err
			}
			if err == nil && b == '"' {
				break
			}
			return r.afterQuote(b, err == io.EOF)
		}
		r.text = append(r.text, b)
	}
}

// afterQuote ends a quoted cell at the byte after it, or at the end of the file.
func (r *csvReader) afterQuote(b byte, atEnd bool) (end bool, err error) {
	switch {
	case atEnd:
		return true, r.add(true)
	case b == r.separator:
		return false, r.add(true)
	case b == '\n':
		r.line++
		return true, r.add(true)
	case b == '\r':
		return true, errors.Join(r.lineFeed(), r.add(true))
	}
	return false, fmt.Errorf("%q follows the closing quote of a cell", b)
}

// add ends a cell.
func (r *csvReader) add(quoted bool) error {
	if !utf8.Valid(r.text) {
		return errors.New("it is not UTF-8; save the file as UTF-8")
	}
	r.row = append(r.row, cell{string(r.text), quoted})
	return nil
}
