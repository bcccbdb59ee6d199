package archive

import (
	"encoding/json"
	"unicode/utf8"
)

// appendText appends a JSON string. What is not valid UTF-8 becomes U+FFFD.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		if size > 1 {
			i += size - 1
			continue
		}
		dst = append(dst, s[plain:i]...)
		quoted, _ := json.Marshal(s[i : i+size]) // of a string it does not fail
		dst = append(dst, quoted[1:len(quoted)-1]...)
		i += size - 1
		plain = i + 1
	}
	return append(append(dst, s[plain:]...), '"')
}
