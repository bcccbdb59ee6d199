package archive

// Existing says what an import does about the content that is there already.
type Existing uint8

const (
	Keep    Existing = iota // refuses to touch it
	Merge                   // changes the documents that come again, and keeps the others
	Replace                 // deletes it first
)

// Options of an import.
type Options struct {
	Existing Existing

	// SkipErrors leaves out what cannot be taken, and says so in the report,
	// where otherwise nothing would be imported.
	SkipErrors bool

	// HashPassword turns a password into what is stored; see content.WriterOptions.
	HashPassword func(string) (string, error)

	Meter *Meter // may be nil
}
