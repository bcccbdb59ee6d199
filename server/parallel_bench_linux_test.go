package server_test

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkHandlerParallel measures requests of all processors at once, without connections.
// With -cpu 1,2 it shows what the processors wait for each other: cpu-ns/op is the time of all of
// them for one request, which grows with their number if they share what each request writes to.
func BenchmarkHandlerParallel(b *testing.B) {
	s, _ := benchSite(b)
	h := s.Handler()
	measure := func(b *testing.B, reads [][2]string) {
		for _, read := range reads {
			b.Run(read[0], func(b *testing.B) {
				send, _ := get(b, h, read[1])
				send() // from now on it is cached, if anything is
				before := processorTime(b)
				b.RunParallel(func(pb *testing.PB) {
					send, _ := get(b, h, read[1])
					for pb.Next() {
						send()
					}
				})
				b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
	const filter = "/api/restaurants?filters[stars][$gte]=4&sort=name:desc&populate=location"
	measure(b, [][2]string{{"ListCached", "/api/restaurants"}})
	s.StopCaching()
	measure(b, [][2]string{{"List", "/api/restaurants"}, {"Count", "/api/restaurants/_count"}, {"Filter", filter}})
}

// processorTime returns how long the process has used processors.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
