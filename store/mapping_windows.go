package store

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// deleteOnClose is the flag of os.OpenFile for a file that is removed when it is closed.
const deleteOnClose = windows.O_FILE_FLAG_DELETE_ON_CLOSE

// mapPart maps n bytes of a file, which must have them, for reading.
func mapPart(f *os.File, from, n int64) ([]byte, error) {
	end := from + n
	whole, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, uint32(end>>32), uint32(end), nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(whole) // the view keeps it
	at, err := windows.MapViewOfFile(whole, windows.FILE_MAP_READ, uint32(from>>32), uint32(from), uintptr(n))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n), nil
}

func unmapPart(part []byte) {
	_ = windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(part))))
}
