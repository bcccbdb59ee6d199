package backup

import "fmt"

// FileError is a file that is no backup, or none that can be trusted. It was left
// as it is.
type FileError struct {
	Path    string
	Problem string // "is damaged or cut off"
	Err     error  // the cause, if there is one
}

func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s %s", e.Path, e.Problem)
	}
	return fmt.Sprintf("%s %s: %v", e.Path, e.Problem, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// ExistsError is something that would have to be replaced, and was not to be.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string { return e.Path + " is there already" }
