package schema

// Limits bounds what one request may ask for, and what all of them together may
// take of the machine.
type Limits struct {
	BodyBytes       int64 // request body, 1 MiB
	URLBytes        int   // path and query, 64 KiB
	Depth           int   // nesting of a query or a body, 20
	Conditions      int   // filter conditions in one query, 1,000
	PopulateEntries int   // populate entries on one level, 100
	PopulateDepth   int   // levels of populate, 20
	ResponseEntries int   // entries and components in one answer, populated ones included, 100,000
	ResponseBytes   int   // an answer before it is compressed, 64 MiB

	HeavyCost    int // cost from which a query is heavy, 50,000; see query.Query.Cost
	HeavyQueries int // heavy queries that run at once; 0, the default, for as many as there are processors

	Connections int // open at once, 4,096
	Requests    int // under way at once, 10,000
}

func defaultLimits() Limits {
	return Limits{
		BodyBytes:       1 << 20,
		URLBytes:        64 << 10,
		Depth:           20,
		Conditions:      1000,
		PopulateEntries: 100,
		PopulateDepth:   20,
		ResponseEntries: 100_000,
		ResponseBytes:   64 << 20,
		HeavyCost:       50_000,
		Connections:     4096,
		Requests:        10_000,
	}
}

// read reads "limits": {"bodyBytes": 1048576, ...}; what it does not name stays.
func (l *Limits) read(o object) {
	o.only("bodyBytes", "urlBytes", "depth", "conditions", "populateEntries", "populateDepth", "responseEntries",
		"responseBytes", "heavyCost", "heavyQueries", "connections", "requests")
	l.BodyBytes = int64(o.whole("bodyBytes", 1, int(l.BodyBytes)))
	l.URLBytes = o.whole("urlBytes", 1, l.URLBytes)
	l.Depth = o.whole("depth", 1, l.Depth)
	l.Conditions = o.whole("conditions", 1, l.Conditions)
	l.PopulateEntries = o.whole("populateEntries", 1, l.PopulateEntries)
	l.PopulateDepth = o.whole("populateDepth", 1, l.PopulateDepth)
	l.ResponseEntries = o.whole("responseEntries", 1, l.ResponseEntries)
	l.ResponseBytes = o.whole("responseBytes", 1, l.ResponseBytes)
	l.HeavyCost = o.whole("heavyCost", 1, l.HeavyCost)
	l.HeavyQueries = o.whole("heavyQueries", 1, l.HeavyQueries)
	l.Connections = o.whole("connections", 1, l.Connections)
	l.Requests = o.whole("requests", 1, l.Requests)
}
