package params

import (
	"fmt"
	"unicode/utf8"
)

// ParamError refuses a malformed parameter. Clients see Message.
type ParamError struct {
	Param   string // the top-level parameter, "filters"; empty if the whole query is wrong
	Key     string // the key as the client wrote it, "filters[name][$in]"; empty if Param is enough
	Message string // one sentence, naming the key
}

func (e *ParamError) Error() string { return e.Message }

// refuseKey returns a ParamError about a whole key. The format's first verb gets the key,
// quoted and shortened if it is very long.
func refuseKey(key, format string, args ...any) *ParamError {
	args = append([]any{quoteKey(key)}, args...)
	return &ParamError{Param: parameterOf(key), Key: key, Message: fmt.Sprintf(format, args...)}
}

func tooManyParameters(l Limits) *ParamError {
	return &ParamError{Message: fmt.Sprintf("The query has more than %d parameters", l.Parameters)}
}

func tooLongList(key string, l Limits) *ParamError {
	return refuseKey(key, "The list at %s has more than %d entries", l.ArrayLimit)
}

func tooDeepKey(key string, l Limits) *ParamError {
	return refuseKey(key, "The key %s is nested deeper than %d levels", l.Depth)
}

// parameterOf returns the part of a key before its brackets.
func parameterOf(key string) string {
	for i := range len(key) {
		if key[i] == '[' {
			return key[:i]
		}
	}
	return key
}

// longestQuote is the maximum length of a key in a message, in bytes.
const longestQuote = 120

func quoteKey(key string) string {
	if len(key) <= longestQuote {
		return fmt.Sprintf("%q", key)
	}
	end := longestQuote
	for end > 0 && !utf8.RuneStart(key[end]) {
		end--
	}
	return fmt.Sprintf("%q…", key[:end])
}
