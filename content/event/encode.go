package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"quire/store"
)

// A commit is stored as
//
//	format, checksum of what follows, milliseconds since 1970, number of texts, texts,
//	number of events, events
//
// An event refers to its texts by number, because most events of a commit have the same
// type, locale and actor. Numbers are varints, texts follow their length.

const (
	format = 1
	sumAt  = 1
	head   = sumAt + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// flagDrafts is set in the action's byte if Event.Drafts is set.
const flagDrafts = 0x80

// encode returns the stored form of a commit.
func encode(at time.Time, events []Event) []byte {
	texts := newTexts(events)
	b := make([]byte, head, head+64+len(events)*48)
	b[0] = format
	b = binary.AppendVarint(b, at.UnixMilli())
	b = binary.AppendUvarint(b, uint64(len(texts.list)))
	for _, text := range texts.list {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	b = binary.AppendUvarint(b, uint64(len(events)))
	for i := range events {
		b = texts.appendEvent(b, &events[i])
	}
	binary.BigEndian.PutUint32(b[sumAt:], crc32.Checksum(b[head:], castagnoli))
	return b
}

// texts numbers the texts of events.
type texts struct {
	list    []string
	numbers map[string]uint64
}

func newTexts(events []Event) *texts {
	t := &texts{numbers: map[string]uint64{}}
	for i := range events {
		e := &events[i]
		for _, text := range [...]string{e.Type, e.DocumentID, e.Locale, string(e.By)} {
			if _, known := t.numbers[text]; !known {
				t.numbers[text] = uint64(len(t.list))
				t.list = append(t.list, text)
			}
		}
	}
	return t
}

func (t *texts) appendEvent(b []byte, e *Event) []byte {
	action := byte(e.Action)
	if e.Drafts {
		action |= flagDrafts
	}
	b = append(b, action, byte(e.Status))
	for _, text := range [...]string{e.Type, e.DocumentID, e.Locale, string(e.By)} {
		b = binary.AppendUvarint(b, t.numbers[text])
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, e.ID), e.Version)
}

// errShort reports a truncated commit.
var errShort = errors.New("it ends too early")

// Decode reads the stored form of the commit with that revision.
func Decode(revision uint64, value []byte) (Commit, error) {
	c := Commit{Revision: revision}
	switch {
	case len(value) < head:
		return c, errShort
	case value[0] != format:
		return c, fmt.Errorf("its format is %d, known is %d", value[0], format)
	case binary.BigEndian.Uint32(value[sumAt:]) != crc32.Checksum(value[head:], castagnoli):
		return c, errors.New("its checksum does not match its content")
	}
	in := reader{Decoder: store.Decoder{Rest: value[head:]}}
	c.At = time.UnixMilli(in.Moment()).UTC()
	in.texts = make([]string, in.count(1))
	for i := range in.texts {
		in.texts[i] = string(in.Text())
	}
	c.Events = make([]Event, in.count(8))
	for i := range c.Events {
		in.event(&c.Events[i])
		c.Events[i].Position = Position{Revision: revision, Index: i + 1}
	}
	if n := len(c.Events); n > 0 {
		c.Events[n-1].Position.Index = 0
	}
	if in.Failed || len(in.Rest) > 0 {
		return Commit{}, errShort
	}
	return c, nil
}

// reader reads the parts of a commit.
type reader struct {
	store.Decoder
	texts []string
}

func (in *reader) event(e *Event) {
	kinds := in.Bytes(2)
	e.Type, e.DocumentID, e.Locale, e.By = in.known(), in.known(), in.known(), store.Actor(in.known())
	e.ID, e.Version = in.Number(), in.Number()
	if in.Failed {
		return
	}
	e.Action, e.Drafts, e.Status = store.Action(kinds[0]&^flagDrafts), kinds[0]&flagDrafts != 0, store.Status(kinds[1])
	in.Failed = !slices.Contains(actions, e.Action) || e.Status != store.Draft && e.Status != store.Published
}

// actions are the actions of events.
var actions = []store.Action{store.ActionCreate, store.ActionUpdate, store.ActionPublish, store.ActionUnpublish, store.ActionDelete}

// known returns a text by its number.
func (in *reader) known() string {
	n := in.Number()
	if n >= uint64(len(in.texts)) {
		in.Failed = true
		return ""
	}
	return in.texts[n]
}

// count reads a number of items, each of which has at least a number of bytes.
func (in *reader) count(bytesOfEach int) int {
	n := in.Number()
	if n > uint64(len(in.Rest)/bytesOfEach) {
		in.Fail()
		return 0
	}
	return int(n)
}
