package server_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/media"
	"quire/schema/settings"
	"quire/server"
)

// slowFolder is the folder of a stream whose first object takes until it is let go.
type slowFolder struct {
	media.Storage
	begun, letGo chan struct{}
}

func (f *slowFolder) Sweep() error { return nil }

func (f *slowFolder) Receive(_ context.Context, name string, from io.Reader) error {
	if name == "first" {
		close(f.begun)
		<-f.letGo
	}
	_, err := io.Copy(io.Discard, from)
	return err
}

// An object that is refused because too much is under way takes nothing of what its stream may
// have.
func TestARefusedObjectTakesNoSpace(t *testing.T) {
	t.Parallel()
	at := &slowFolder{media.Disk(t.TempDir()), make(chan struct{}), make(chan struct{})}
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{
		Leading: &server.Leading{Streams: func(string) (server.StreamFolder, error) { return at, nil }},
		Settings: func(s *settings.Settings) {
			s.Limits.Requests, s.Streams = 1, settings.StoredStreams{Names: []string{"guide"}, Bytes: 100}
		},
	})
	token, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "streams", Kind: auth.Custom, Permissions: []string{auth.WriteStreams.String()}})
	check(t, err)
	put := func(name string) int {
		return h.send("", "PUT", "/api/_streams/guide/"+name, strings.Repeat("x", 40), "Authorization", "Bearer "+token, "If-None-Match", "*").status
	}
	first := make(chan int)
	go func() { first <- put("first") }()
	<-at.begun
	for range 3 {
		if status := put("refused"); status != 503 {
			t.Errorf("an object beside the only one that may arrive: %d", status)
		}
	}
	close(at.letGo)
	if status := <-first; status != 201 {
		t.Errorf("the first object: %d", status)
	}
	if status := put("second"); status != 201 {
		t.Errorf("an object that fits: %d", status)
	}
}
