package server

import (
	"net/http"
	"testing"
)

// A response of this process is kept up to its limit, and dropped if it is larger.
func TestKeptResponseIsBounded(t *testing.T) {
	t.Parallel()
	k := &keptResponse{header: http.Header{}}
	part := make([]byte, LargestReading/2)
	for range 2 {
		if n, err := k.Write(part); n != len(part) || err != nil || k.large {
			t.Fatal(n, err, k.large)
		}
	}
	if n, err := k.Write([]byte("x")); n != 1 || err != nil || !k.large || len(k.body) != LargestReading {
		t.Error(n, err, k.large, len(k.body))
	}
	if k.status != http.StatusOK {
		t.Error(k.status)
	}
}
