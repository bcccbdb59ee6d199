package storetest

import (
	"testing"

	"quire/store"
)

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) store.Journal { return NewMemory() })
}
