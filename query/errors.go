package query

import "quire/query/params"

// KeyError refuses a key of the query: one that the schema does not have, or one that the
// caller must not name. Both have the same text.
type KeyError struct {
	Key  string
	Path string // the path of the key, with dots; empty at the top level
	// Param is the top-level parameter: filters, sort, fields or populate.
	Param string
}

func (e *KeyError) Error() string {
	if e.Path == "" || e.Path == e.Key {
		return "Invalid key " + e.Key
	}
	return "Invalid key " + e.Key + " at " + e.Path
}

// PaginationError refuses a combination of paging parameters.
type PaginationError struct{ Message string }

func (e *PaginationError) Error() string { return e.Message }

// DraftError says that the caller may not read drafts.
type DraftError struct{ Type string }

func (e *DraftError) Error() string { return "drafts of " + e.Type + " may not be read" }

// unknownKey refuses a key that the schema does not have; at is the path where it was used.
func unknownKey(key, at, param string) error {
	return &KeyError{Key: key, Path: at, Param: param}
}

// forbiddenKey refuses a key that exists and must not be named.
func forbiddenKey(key, at, param string) error {
	return &KeyError{Key: key, Path: joinPath(at, key), Param: param}
}

func refuseParam(param, key, message string) error {
	return &params.ParamError{Param: param, Key: key, Message: message}
}

// joinPath adds a key to a dotted path.
func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
