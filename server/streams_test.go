package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"quire/media"
	"quire/schema"
	"quire/server/edge"
)

// emptyStream is a stream without objects.
type emptyStream struct{ StreamFolder }

func (emptyStream) Sweep() error                                         { return nil }
func (emptyStream) List(context.Context, func(media.Object) error) error { return nil }
func (emptyStream) Stat(context.Context, string) (media.Object, error) {
	return media.Object{}, fs.ErrNotExist
}

// An object that the server does not begin to receive, because too many requests wait for their
// clients, takes no space of its stream.
func TestAnObjectThatIsNotReceivedTakesNoSpace(t *testing.T) {
	s := &Server{load: edge.NewLoad(edge.UsualPatience())}
	site := &siteVersion{schema: &schema.Site{}}
	site.schema.Settings.Streams.Bytes = 10
	for range 3 {
		w, r := httptest.NewRecorder(), httptest.NewRequest("PUT", "/api/_streams/guide/a", strings.NewReader("0123456789"))
		r.Header.Set("If-None-Match", "*")
		x := &request{ResponseWriter: w, server: s, site: site, http: r, params: httprouter.Params{{Key: "object", Value: "a"}}}
		x.share = &x.own
		x.share.Begin(s.load, 0, w, r)
		if err := receiveObject(x, "guide", emptyStream{}); !errors.Is(err, edge.ErrCrowded) {
			t.Errorf("the error is %v", err)
		}
		x.share.End()
	}
	if n := s.stored.of["guide"]; n == nil || *n != (streamSize{}) {
		t.Errorf("the stream has %+v", n)
	}
}
