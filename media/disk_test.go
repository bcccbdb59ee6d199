package media_test

import (
	"testing"

	"quire/media"
	"quire/media/mediatest"
)

func TestDiskIsAStorage(t *testing.T) {
	folder := t.TempDir()
	mediatest.Storage(t, media.Disk(folder), folder)
}
