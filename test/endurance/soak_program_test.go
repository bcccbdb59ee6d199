package endurance

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"quire/test/program"
)

// soakedProgram is quire under the load of TestSoak, with metrics.
type soakedProgram struct{ *program.Server }

// inside is what the program says of itself.
type inside struct {
	Goroutines  int
	Heap        int64 // what lived when garbage was last collected, in bytes
	Own         int64 // memory that is in use, or was and is not yet free: what would be resident if all that is free were given back
	Collections int   // of garbage, so far
}

// counted asks for the metrics.
func (p *soakedProgram) counted() (in inside, err error) {
	response, err := http.Get(p.Metrics) // over one connection, which stays
	if err != nil {
		return in, err
	}
	defer response.Body.Close()
	value := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var name string
		var number float64
		if n, _ := fmt.Sscanf(lines.Text(), "%s %g", &name, &number); n == 2 {
			value[name] = number
		}
	}
	for _, name := range []string{"go_goroutines", "go_gc_heap_live_bytes", "go_memstats_sys_bytes", "go_memstats_heap_idle_bytes", "go_gc_duration_seconds_count"} {
		if _, ok := value[name]; !ok {
			return in, fmt.Errorf("%s has no %s", p.Metrics, name)
		}
	}
	return inside{
		Goroutines:  int(value["go_goroutines"]),
		Heap:        int64(value["go_gc_heap_live_bytes"]),
		Own:         int64(value["go_memstats_sys_bytes"] - value["go_memstats_heap_idle_bytes"]),
		Collections: int(value["go_gc_duration_seconds_count"]),
	}, lines.Err()
}

// outside is what the system knows of a program, all but the last in bytes.
type outside struct {
	Resident  int64 // of its own: what is resident without pages of files, which the system takes back at will
	WithFiles int64 // resident, pages of the data file included
	Files     int   // open ones: files, connections
}

// measured asks the system. It fails where there is no /proc.
func (p *soakedProgram) measured() (o outside, err error) {
	folder := fmt.Sprintf("/proc/%d/", p.Process.Pid)
	status, err := os.ReadFile(folder + "status")
	if err != nil {
		return o, err
	}
	for line := range strings.Lines(string(status)) {
		var name string
		var kilobytes int64
		fmt.Sscanf(line, "%s %d kB", &name, &kilobytes)
		switch name {
		case "RssAnon:":
			o.Resident = kilobytes << 10
		case "VmRSS:":
			o.WithFiles = kilobytes << 10
		}
	}
	open, err := os.ReadDir(folder + "fd")
	o.Files = len(open)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return o, err
}
