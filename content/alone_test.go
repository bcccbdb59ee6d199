package content

import (
	"errors"
	"testing"

	"quire/index"
	"quire/store"
)

func TestAloneExchangesTheIndex(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "before"}`)
	failure := errors.New("no")
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	var defect *PanicError
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { panic("x") }); !errors.As(err, &defect) {
		t.Errorf("the error is %v", err)
	}
	must(t, f.writer.Alone(t.Context(), func() (*index.Index, error) {
		f.index = build(t, f.site, f.db)
		return f.index, nil
	}))
	f.create("category", `{"name": "after"}`)
	if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 2 {
		t.Errorf("the new index shows %d categories, want 2", n)
	}
	f.writer.Close()
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { return nil, nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
