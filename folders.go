package main

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// folderError is a folder that cannot be used, with what to do about it.
type folderError struct {
	path string
	err  error
}

func (e *folderError) Error() string {
	return fmt.Sprintf("the folder %s cannot be used: %v; %s", e.path, e.err, e.remedy())
}

func (e *folderError) Unwrap() error { return e.err }

func (e *folderError) remedy() string {
	switch {
	case errors.Is(e.err, syscall.ENOTDIR), errors.Is(e.err, fs.ErrExist):
		return "what is there is no folder: move it out of the way"
	case errors.Is(e.err, fs.ErrPermission), errors.Is(e.err, syscall.EROFS):
		return "give this user the right to read and write it, and the folder that it is in"
	case errors.Is(e.err, syscall.ENOSPC), errors.Is(e.err, syscall.EDQUOT):
		return "make room on the disk"
	}
	return "see to that and start again"
}
