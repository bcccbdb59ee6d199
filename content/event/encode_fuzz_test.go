package event

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"

	"quire/store"
)

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	events := []Event{
		dog("rex", store.ActionCreate),
		{Type: "api::home.home", DocumentID: "h", Status: store.Draft, Action: store.ActionUnpublish, Drafts: true},
		dog("rex", store.ActionDelete),
	}
	c, err := Decode(9, encode(noon, events))
	for i, p := range []Position{{9, 1}, {9, 2}, {9, 0}} {
		events[i].Position = p
	}
	if want := (Commit{9, noon, events}); err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
}

// What is stored is decoded to what encodes to it, or refused.
func FuzzDecode(f *testing.F) {
	f.Add(encode(noon, []Event{dog("rex", store.ActionCreate), dog("ada", store.ActionPublish)}))
	f.Add(encode(noon, nil))
	f.Fuzz(func(t *testing.T, value []byte) {
		if len(value) >= head { // so that more than the checksum is tried
			value = bytes.Clone(value)
			binary.BigEndian.PutUint32(value[sumAt:], crc32.Checksum(value[head:], castagnoli))
		}
		c, err := Decode(5, value)
		if err != nil {
			return
		}
		again, err := Decode(5, encode(c.At, c.Events))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%x: %+v, then %+v, %v", value, c, again, err)
		}
		for i := range value {
			if damaged := bytes.Clone(value); i >= sumAt {
				damaged[i] ^= 1
				if _, err := Decode(5, damaged); err == nil {
					t.Errorf("%x with byte %d changed is not refused", value, i)
				}
			}
		}
	})
}
