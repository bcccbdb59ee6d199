package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// span is one value of a JSON text, with its position. One value can change while all
// others stay as people have written them.
type span struct {
	begin, end int
	parts      []*span // of an object or a list
	text       string  // of a text
	is         byte    // '{', '[', '"', or 0 for anything else

	key              string // of a member of an object
	keyBegin, keyEnd int

	gone        bool    // to be left out
	replacement *string // its new text
	rekeyed     string  // its new key; empty if unchanged
}

// spanReader reads the spans of one text.
type spanReader struct {
	text []byte
	d    *json.Decoder
}

func readSpans(text []byte) (*span, error) {
	r := &spanReader{text, json.NewDecoder(bytes.NewReader(text))}
	whole, err := r.value()
	if err != nil {
		return nil, err
	}
	if _, err := r.d.Token(); err != io.EOF {
		return nil, errors.New("there is more than one value")
	}
	return whole, nil
}

// token returns the next token, with its start and end.
func (r *spanReader) token() (t json.Token, begin, end int, err error) {
	begin = int(r.d.InputOffset())
	t, err = r.d.Token()
	end = int(r.d.InputOffset())
	for begin < end && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[begin]) >= 0 {
		begin++
	}
	return t, begin, end, err
}

func (r *spanReader) value() (*span, error) {
	t, begin, end, err := r.token()
	if err != nil {
		return nil, err
	}
	s := &span{begin: begin, end: end}
	switch t := t.(type) {
	case string:
		s.is, s.text = '"', t
	case json.Delim:
		s.is = byte(t)
		if err := r.into(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// into reads the parts of an object or a list.
func (r *spanReader) into(s *span) error {
	for r.d.More() {
		key, keyBegin, keyEnd := "", 0, 0
		if s.is == '{' {
			t, begin, end, err := r.token()
			if err != nil {
				return err
			}
			key, keyBegin, keyEnd = t.(string), begin, end
		}
		part, err := r.value()
		if err != nil {
			return err
		}
		part.key, part.keyBegin, part.keyEnd = key, keyBegin, keyEnd
		s.parts = append(s.parts, part)
	}
	_, _, end, err := r.token()
	s.end = end
	return err
}

// get returns the member of a key, one without parts if there is none.
func (s *span) get(key string) *span {
	for _, part := range s.parts {
		if s.is == '{' && part.key == key {
			return part
		}
	}
	return &span{}
}

// start returns where a part begins, including its key if it has one.
func (s *span) start() int {
	if s.keyEnd > 0 {
		return s.keyBegin
	}
	return s.begin
}

// empty reports whether a list or an object has parts, and all of them are taken out.
func (s *span) empty() bool {
	for _, part := range s.parts {
		if !part.gone {
			return false
		}
	}
	return len(s.parts) > 0
}

// write appends the value after the changes.
func (s *span) write(b, text []byte) []byte {
	switch {
	case s.replacement != nil:
		return append(b, quote(*s.replacement)...)
	case s.empty():
		return append(b, text[s.begin], text[s.end-1])
	}
	at, kept := s.begin, false
	for i, part := range s.parts {
		switch {
		case !part.gone:
			b = part.writeKeyed(append(b, text[at:part.start()]...), text)
			at, kept = part.end, true
		case kept:
			at = part.end // with the comma before it
		default:
			if i == 0 {
				b = append(b, text[at:part.start()]...)
			}
			at = s.parts[i+1].start() // there is one, because not all are taken out
		}
	}
	return append(b, text[at:s.end]...)
}

// writeKeyed appends a part, with its key if it has one.
func (s *span) writeKeyed(b, text []byte) []byte {
	if s.rekeyed != "" {
		b = append(append(b, quote(s.rekeyed)...), text[s.keyEnd:s.begin]...)
	} else {
		b = append(b, text[s.start():s.begin]...)
	}
	return s.write(b, text)
}
