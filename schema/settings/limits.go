package settings

import (
	"time"

	"quire/schema/source"
)

// Limits limits what one request may request, and what all requests together may take of
// the machine.
type Limits struct {
	BodyBytes       int64 // request body, 1 MiB
	URLBytes        int   // path and query, 64 KiB
	Depth           int   // nesting of a query or a body, 20
	Conditions      int   // filter conditions in one query, 1,000
	PopulateEntries int   // populate entries on one level, 100
	PopulateDepth   int   // levels of populate, 20
	ResponseEntries int   // entries and components in one response, populated ones included, 100,000
	ResponseBytes   int   // a response before it is compressed, 64 MiB

	WriteLinks int // that one write may name or change, 10,000

	BatchRequests int   // in one batch, 1,000
	BatchBytes    int64 // body of a batch, 4 MiB

	ImportBytes int64 // a file that is imported in the admin, 10 GiB

	QueryTime    time.Duration // that the queries of one request may take, 10 seconds
	HeavyCost    int           // minimum cost of a heavy query, 50,000; see query.Query.Cost
	HeavyQueries int           // heavy queries that run at once; 0, the default, for the number of processors

	Memory      int64 // in bytes, for the values of entries; further values are kept in a file, 256 MiB
	IndexMemory int64 // in bytes, for the indexes that reads build; 0, the default, for a quarter of the machine's

	Connections int // open at once, 4,096
	Requests    int // in progress at once, 10,000

	Streams           int // of events, open at once, 1,000; at most half of the connections
	StreamsPerAddress int // of these, from one address, 50
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
		WriteLinks:      10_000,
		BatchRequests:   1000,
		BatchBytes:      4 << 20,
		ImportBytes:     10 << 30,
		QueryTime:       10 * time.Second,
		HeavyCost:       50_000,
		Memory:          256 << 20,
		Connections:     4096,
		Requests:        10_000,

		Streams:           1000,
		StreamsPerAddress: 50,
	}
}

// read reads "limits": {"bodyBytes": 1048576, ...}; missing members are unchanged.
func (l *Limits) read(o source.Object) {
	o.Only("bodyBytes", "urlBytes", "depth", "conditions", "populateEntries", "populateDepth", "responseEntries",
		"responseBytes", "writeLinks", "batchRequests", "batchBytes", "importBytes", "querySeconds", "heavyCost", "heavyQueries", "memory", "indexMemory", "connections", "requests", "streams", "streamsPerAddress")
	l.BodyBytes = int64(o.Whole("bodyBytes", 1, int(l.BodyBytes)))
	l.URLBytes = o.Whole("urlBytes", 1, l.URLBytes)
	l.Depth = o.Whole("depth", 1, l.Depth)
	l.Conditions = o.Whole("conditions", 1, l.Conditions)
	l.PopulateEntries = o.Whole("populateEntries", 1, l.PopulateEntries)
	l.PopulateDepth = o.Whole("populateDepth", 1, l.PopulateDepth)
	l.ResponseEntries = o.Whole("responseEntries", 1, l.ResponseEntries)
	l.ResponseBytes = o.Whole("responseBytes", 1, l.ResponseBytes)
	l.WriteLinks = o.Whole("writeLinks", 1, l.WriteLinks)
	l.BatchRequests = o.Whole("batchRequests", 1, l.BatchRequests)
	l.BatchBytes = int64(o.Whole("batchBytes", 1, int(l.BatchBytes)))
	l.ImportBytes = int64(o.Whole("importBytes", 1, int(l.ImportBytes)))
	if seconds := o.Whole("querySeconds", 1, int(l.QueryTime/time.Second)); seconds <= longestQuery {
		l.QueryTime = time.Duration(seconds) * time.Second
	} else {
		o.RefuseAt("querySeconds", "is longer than a minute", "lower it; a request has two minutes in all, up to the end of its answer")
	}
	l.HeavyCost = o.Whole("heavyCost", 1, l.HeavyCost)
	l.HeavyQueries = o.Whole("heavyQueries", 1, l.HeavyQueries)
	l.Memory = int64(o.Whole("memory", 0, int(l.Memory)))
	l.IndexMemory = int64(o.Whole("indexMemory", 1<<20, int(l.IndexMemory)))
	l.Connections = o.Whole("connections", 1, l.Connections)
	l.Requests = o.Whole("requests", 1, l.Requests)
	// Read the maximum number of streams. Streams must leave connections for requests; the
	// default does.
	most := l.Connections / 2
	l.StreamsPerAddress = o.Whole("streamsPerAddress", 1, l.StreamsPerAddress)
	if requested := o.Whole("streams", 0, min(l.Streams, most)); requested > most {
		o.RefuseAt("streams", "is more than half of limits.connections", "raise connections or lower it; streams must leave connections for requests")
	} else {
		l.Streams = requested
	}
}

// longestQuery is the maximum of querySeconds: the response must still be sent after the
// query.
const longestQuery = 60
