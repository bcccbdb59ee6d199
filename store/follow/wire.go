package follow

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"quire/store"
)

// The stream of batches consists of frames:
//
//	kind, 1 byte | length of the body, 4 bytes | body | CRC-32C of kind and body, 4 bytes
//
// Numbers in a body are varints, and texts have their length before them.

const (
	batchFrame = 'b'
	stateFrame = 's'
)

// TailBytes limits the last batches that a leader keeps for followers.
const TailBytes = 64 << 20

// mostFrame is the size of the largest frame that is read: what a tail has fits into it.
const mostFrame = TailBytes + 1<<20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// State is what a leader says about itself.
type State struct {
	Lineage  uint64 `json:"lineage,string"`  // with Revision the name of the last commit
	Revision uint64 `json:"revision,string"` // of the last commit
	Uptime   int64  `json:"uptime"`          // of the leader, in nanoseconds by a clock that does not jump
	Epoch    uint64 `json:"epoch,string"`    // of the content
	Schema   string `json:"schema"`          // fingerprint of the schemas and settings that the content is for
	Stream   string `json:"stream"`          // the id of its stream of commits; empty for none
}

// AppendState appends a frame with the state.
func AppendState(to []byte, s State) []byte {
	return appendFrame(to, stateFrame, func(b []byte) []byte {
		for _, n := range []uint64{s.Lineage, s.Revision, uint64(s.Uptime), s.Epoch} {
			b = binary.AppendUvarint(b, n)
		}
		return appendText(appendText(b, s.Schema), s.Stream)
	})
}

// AppendBatch appends a frame with a batch.
func AppendBatch(to []byte, b store.Batch) []byte {
	return appendFrame(to, batchFrame, func(body []byte) []byte {
		for _, n := range []uint64{b.Lineage, b.Revision, uint64(b.Time), uint64(len(b.Ops))} {
			body = binary.AppendUvarint(body, n)
		}
		for _, o := range b.Ops {
			body = appendOp(body, o)
		}
		return body
	})
}

// appendOp appends an operation. The length of its value is one more than it is, and 0 for
// a deletion.
func appendOp(b []byte, o store.Op) []byte {
	b = binary.AppendUvarint(b, uint64(len(o.Path)))
	for _, name := range o.Path {
		b = appendText(b, name)
	}
	b = appendText(b, o.Key)
	if o.Value == nil {
		return binary.AppendUvarint(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(o.Value))+1), o.Value...)
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendFrame(to []byte, kind byte, body func([]byte) []byte) []byte {
	begin := len(to)
	to = append(to, kind, 0, 0, 0, 0)
	to = body(to)
	content := to[begin+5:]
	binary.BigEndian.PutUint32(to[begin+1:], uint32(len(content)))
	sum := crc32.Update(crc32.Checksum([]byte{kind}, castagnoli), castagnoli, content)
	return binary.BigEndian.AppendUint32(to, sum)
}

var errFrame = errors.New("what the leader sends cannot be read")

// readFrame reads the next frame: a batch or a state, and the other one is nil.
func readFrame(r *bufio.Reader) (b *store.Batch, s *State, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > mostFrame {
		return nil, nil, fmt.Errorf("%w: a frame of %d bytes", errFrame, size)
	}
	text := make([]byte, size+4)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, err
	}
	body, sum := text[:size], binary.BigEndian.Uint32(text[size:])
	if crc32.Update(crc32.Checksum(head[:1], castagnoli), castagnoli, body) != sum {
		return nil, nil, fmt.Errorf("%w: it was damaged on the way", errFrame)
	}
	d := &frameDecoder{store.Decoder{Rest: body}}
	switch head[0] {
	case batchFrame:
		b = d.batch()
	case stateFrame:
		s = &State{Lineage: d.Number(), Revision: d.Number(), Uptime: int64(d.Number()), Epoch: d.Number(), Schema: string(d.Text()), Stream: string(d.Text())}
	default:
		return nil, nil, fmt.Errorf("%w: a frame of the kind %q", errFrame, head[0])
	}
	if d.Failed || len(d.Rest) > 0 {
		return nil, nil, errFrame
	}
	return b, s, nil
}

// frameDecoder reads the body of a frame.
type frameDecoder struct{ store.Decoder }

func (d *frameDecoder) batch() *store.Batch {
	b := &store.Batch{Lineage: d.Number(), Revision: d.Number(), Time: int64(d.Number())}
	b.Position = b.Revision
	for n := d.Number(); n > 0 && !d.Failed; n-- {
		b.Ops = append(b.Ops, d.op())
	}
	return b
}

func (d *frameDecoder) op() (o store.Op) {
	for n := d.Number(); n > 0 && !d.Failed; n-- {
		o.Path = append(o.Path, string(d.Text()))
	}
	o.Key = d.Text()
	if size := d.Number(); size > 0 {
		o.Value = d.Bytes(size - 1)
	}
	return o
}
