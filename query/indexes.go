package query

import "quire/index"

// The indexes that a run reads. If one cannot be had, the run ends with the error, and goes
// on with an empty index until then.

// Pause implements index.Reader for a run that waits for an index.
func (x *run) Pause() error {
	if x.err != nil {
		return x.err
	}
	return x.pause()
}

func (x *run) values(tb *index.Table, path index.Path) *index.Values {
	v, err := x.s.ReadValues(x, tb, path)
	x.fail(err)
	return v
}

func (x *run) words(tb *index.Table, path index.Path) *index.Words {
	w, err := x.s.ReadWords(x, tb, path)
	x.fail(err)
	return w
}

func (x *run) links(tb *index.Table, path index.Path) *index.Links {
	l, err := x.s.ReadLinks(x, tb, path)
	x.fail(err)
	return l
}

func (x *run) references(tb *index.Table) *index.References {
	r, err := x.s.ReadReferences(x, tb)
	x.fail(err)
	return r
}

func (x *run) translations(tb *index.Table) *index.Translations {
	t, err := x.s.ReadTranslations(x, tb)
	x.fail(err)
	return t
}

// fail ends the run with an error, unless it has ended already.
func (x *run) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}
