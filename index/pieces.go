package index

// pieces has, for blocks of joined words, which pieces of three bytes occur in them,
// including the line breaks around words. Pieces share the rows of the table that they are
// hashed to, so a block may lack a piece that it seems to have, but never the other way
// round.
type pieces struct {
	blocks int
	width  int      // of a row, in words of 64 blocks
	rows   []uint64 // one row of bits for each hash, a bit for each block
}

const (
	pieceBytes = 3
	blockWords = 128     // words of a block; so about one row in six has it
	pieceRows  = 1 << 12 // hashes
)

func newPieces(j *joined) *pieces {
	p := &pieces{blocks: (len(j.starts) + blockWords - 1) / blockWords}
	p.width = (p.blocks + 63) / 64
	p.rows = make([]uint64, pieceRows*p.width)
	for block := range p.blocks {
		from, to := j.start(block*blockWords)-1, j.start(min((block+1)*blockWords, len(j.starts)))
		eachPiece(j.text[from:to], func(hash int) {
			p.rows[hash*p.width+block/64] |= 1 << (block % 64)
		})
	}
	return p
}

// blocksWith returns the blocks, as bits, that may have a word with the pattern in it.
func (p *pieces) blocksWith(pattern string) []uint64 {
	found := make([]uint64, p.width)
	for i := range found {
		found[i] = ^uint64(0)
	}
	eachPiece(pattern, func(hash int) {
		for i, w := range p.rows[hash*p.width : (hash+1)*p.width] {
			found[i] &= w
		}
	})
	return found
}

// eachPiece calls fn with the hash of each piece of a text.
func eachPiece(text string, fn func(hash int)) {
	for i := range len(text) - pieceBytes + 1 {
		piece := uint32(text[i])<<16 | uint32(text[i+1])<<8 | uint32(text[i+2])
		fn(int(piece * 0x9e3779b1 >> 20))
	}
}
