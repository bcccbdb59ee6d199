package query

import (
	"context"
	"math"
	"runtime"
	"time"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// run is one run of a query on one snapshot. It lasts as long as the call that
// started it; one goroutine uses it.
type run struct {
	ctx         context.Context
	s           *index.Snapshot
	site        *schema.Site
	versions    versions
	locale      index.Locale // the site's default
	fallback    *fallback    // nil if not requested
	publication publication
	v4          bool
	entriesLeft int // entries and components that the response may still have
	maxBytes    int // maximum bytes of the response
	steps       int // rows examined and entries encoded
	err         error

	faults *Faults // of a response with a Shape
	signer Signer  // of the files in the response; nil if none is private

	matched    matched // of the query itself
	plan       *Plan
	unobserved Plan
	depth      int       // of the step being noted
	begun      time.Time // start of the run; lapped is the end of the last lap after it
	lapped     time.Duration
	silent     bool // current decisions are not recorded

	scratch
	scratches  *scratches
	prefetched byte // see prefetch

	parts     map[*index.Table]*index.Table // see within
	memos     map[*condition]*memo
	hopValues map[sortPoint]sortValue

	reservedBytes int // bytes of memory, see reserve
	grantedBytes  int // part of these for which the run need not ask
	answerBytes   int // part of these for the response

	host    Host // nil for none
	heavyAt int  // steps after which the run is heavy and asks to enter
	pauseAt int  // steps at which the next pause is due
}

// newRun begins a run. Its caller closes it, and does not use it afterwards.
func newRun(ctx context.Context, s *index.Snapshot, q *Query) *run {
	def, _ := s.Locale(q.site.Settings.DefaultLocale)
	limits := &q.site.Settings.Limits
	x := q.scratches.get()
	*x = run{
		ctx: ctx, s: s, site: q.site, versions: q.versions, locale: def, publication: q.publication, v4: q.v4, plan: q.plan,
		entriesLeft: limits.ResponseEntries, maxBytes: limits.ResponseBytes, host: q.host, heavyAt: q.heavyAt, pauseAt: stepsPerPause, grantedBytes: freeBytes,
		scratch: x.scratch, scratches: q.scratches,
	}
	if len(q.fallback) > 0 {
		x.fallback = newFallback(s, q.locales, q.fallback)
	}
	if q.signer != nil && s.HasPrivateFolders() {
		x.signer = q.signer
	}
	if q.unlimited {
		x.entriesLeft, x.maxBytes = math.MaxInt, math.MaxInt
	}
	if x.plan == nil {
		x.plan = &x.unobserved
	} else {
		x.begun = time.Now()
	}
	return x
}

// table returns the entries of a type that the run reads.
func (x *run) table(t *schema.Type) *index.Table { return x.tableOf(t, x.versions.status) }

// tableOf returns the entries of a type with a status, as the caller sees them.
func (x *run) tableOf(t *schema.Type, status store.Status) *index.Table {
	return x.within(x.versions.wholeOf(x.s, t, status))
}

// within returns the part of a table that exists for the caller.
func (x *run) within(tb *index.Table) *index.Table {
	f := x.versions.filter(x.site, tb.Type)
	if f == nil {
		return tb
	}
	part := x.parts[tb]
	if part == nil {
		if x.parts == nil {
			x.parts = map[*index.Table]*index.Table{}
		}
		part = tb.Within(x.meeting(tb, f))
		x.parts[tb] = part
	}
	return part
}

// meeting returns the rows of a table whose entries meet a filter. A single condition is answered
// by the index alone.
func (x *run) meeting(tb *index.Table, f *schema.Filter) index.Posting {
	with := func(c schema.Equality) index.Posting {
		rows, err := x.s.ReadWith(x, tb, c)
		x.fail(err)
		return rows
	}
	if len(f.Ways) == 1 && len(f.Ways[0]) == 1 {
		return with(f.Ways[0][0])
	}
	all := x.newBits(tb)
	defer x.releaseBits(tb, all)
	for _, way := range f.Ways {
		rows := x.newBits(tb)
		with(way[0]).AddTo(rows)
		for _, c := range way[1:] {
			with(c).KeepIn(rows)
		}
		x.addSet(tb, all, rows)
	}
	if !x.reserve(all.Count() * rowBytes) {
		return index.Posting{}
	}
	return all.Posting(tb.Size())
}

// close releases the scratch space. Until then the run holds its snapshot, and so the
// memory of the bodies that it reads.
func (x *run) close() {
	runtime.KeepAlive(x.s)
	x.scratches.put(x)
}

// Host is the request that a run works for. It limits what the run may take of the machine.
// A run without a host is limited only by its context.
type Host interface {
	// Enter is called once, by a run that has become heavy. It waits until the run may
	// continue, or returns an error that ends the run.
	Enter(ctx context.Context) error

	// Reserve reserves memory for the run until its response has been sent. bytes is the total
	// that the run needs, not an addition. An error ends the run.
	Reserve(bytes int) error

	// OnTime returns an error when the request has used its time for queries. A run calls
	// it every few thousand rows.
	OnTime() error
}

// Guard makes every run of the query ask the host whether it may continue: from time to
// time, and once when the run has reached the cost. A guarded query must not run twice at
// the same time.
func (q *Query) Guard(h Host, cost int) { q.host, q.heavyAt = h, cost }

// Unlimited is the cost for a query that does not call Enter: it has already been admitted.
const Unlimited = math.MaxInt

// stepsPerPause is the number of steps between two pauses.
const stepsPerPause = 1024

// stopped counts a step, a row examined or an entry encoded, and reports whether the run
// has ended. Every loop over rows, edges or instances calls it, or worked.
func (x *run) stopped() bool {
	if x.err != nil {
		return true
	}
	if x.steps++; x.steps < x.pauseAt {
		return false
	}
	return x.worked(0)
}

// worked counts several steps as stopped does one.
func (x *run) worked(steps int) bool {
	if x.err != nil {
		return true
	}
	if x.steps += steps; x.steps >= x.pauseAt {
		x.pauseAt = x.steps + stepsPerPause
		x.err = x.pause()
	}
	return x.err != nil
}

// Long work on one row counts as several steps. They are added up; the next call of stopped
// sees them. One step is:
const (
	searchedBytes = 1 << 10 // of a text that is searched
	sortedBytes   = 1 << 6  // of a text whose sort key is made
	scannedBytes  = 1 << 12 // of the words of an index
	manyParts     = 1 << 3  // conditions on one record, its values, or groups of an index
)

// pause returns an error if the run was cancelled or has taken too long. A run that has
// become heavy waits in it until the host admits it.
func (x *run) pause() error {
	if err := x.ctx.Err(); err != nil || x.host == nil {
		return err
	}
	if x.steps > x.heavyAt {
		x.heavyAt = Unlimited
		if err := x.host.Enter(x.ctx); err != nil {
			return err
		}
	}
	return x.host.OnTime()
}

// interruptible makes a comparison that pauses from time to time. When the run has ended it
// returns 0 for everything, so that a sort of many rows ends soon.
func interruptible[T any](x *run, compare func(a, b T) int) func(a, b T) int {
	compared := 0
	return func(a, b T) int {
		if compared++; compared%stepsPerPause == 0 && x.err == nil {
			x.err = x.pause()
		}
		if x.err != nil {
			return 0
		}
		return compare(a, b)
	}
}
