package content

import "quire/store"

// publish plans the published version: the draft's values under the published
// entry's own id, which it keeps for as long as it exists.
func (s *saving) publish() error {
	op := s.op
	draft, err := op.entry(s.t, s.working.Key())
	if err != nil {
		return err
	}
	e := *draft // an inverse relation to itself may have changed it since
	e.Status = store.Published
	e.PublishedAt = op.now
	if s.published != nil {
		e.ID = s.published.ID
	} else {
		e.ID = op.next(s.t.UID)
	}
	if err := op.put(s.t, &e); err != nil {
		return err
	}
	if err := s.releaseAll(&e); err != nil {
		return err
	}
	for _, a := range s.t.Attributes {
		if isInverse(a) {
			if err := op.inverse(a, s.t, e.Key()).publish(); err != nil {
				return err
			}
		}
	}
	return op.share(s.t, &e)
}
