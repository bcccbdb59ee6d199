package content

import "crypto/rand"

// documentIDLength is the length of the ids that the reference makes.
const documentIDLength = 24

const (
	letters      = "abcdefghijklmnopqrstuvwxyz"
	alphanumeric = letters + "0123456789"
)

// newDocumentID makes an id of 24 lower-case letters and digits, beginning with
// a letter. Ids of the same form are made by the reference; 123 random bits
// make a collision as good as impossible.
func newDocumentID() string {
	id := make([]byte, 0, documentIDLength)
	id = append(id, pick(letters))
	for len(id) < documentIDLength {
		id = append(id, pick(alphanumeric))
	}
	return string(id)
}

// pick returns one of the choices, all equally likely.
func pick(choices string) byte {
	fair := 256 - 256%len(choices)
	var b [1]byte
	for {
		rand.Read(b[:]) // never fails
		if int(b[0]) < fair {
			return choices[int(b[0])%len(choices)]
		}
	}
}
