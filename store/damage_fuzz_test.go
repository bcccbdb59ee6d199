package store

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// FuzzDamage changes places of a data file at random: each six bytes of damage
// say where, and what stands there then. Opening, checking and reading end,
// and either an error says what is wrong or nothing is missing.
func FuzzDamage(f *testing.F) {
	path := filepath.Join(f.TempDir(), "whole.db")
	want := damageable(f, path)
	page := os.Getpagesize()
	whole := readFile(f, path)[:usedBytes(f, path)]
	at := func(place int, value uint16) []byte {
		return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(nil, uint32(place)), value)
	}
	for place := range 6 * 8 { // the heads of pages and of both metas
		f.Add(at(place/8*page+place%8*2, 0xFFFF), uint16(0))
	}
	f.Add(append(at(16, 1), at(page+16, 1)...), uint16(0))
	f.Add([]byte{}, uint16(3))
	f.Fuzz(func(t *testing.T, damage []byte, cut uint16) {
		b := bytes.Clone(whole)
		for ; len(damage) >= 6; damage = damage[6:] {
			place := int(binary.BigEndian.Uint32(damage)) % (len(b) - 1)
			copy(b[place:], damage[4:6])
		}
		b = b[:len(b)-int(cut)%len(b)]
		useDamaged(t, filepath.Join(t.TempDir(), "damaged.db"), b, want)
	})
}
