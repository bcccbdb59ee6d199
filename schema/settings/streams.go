package settings

import (
	"fmt"
	"regexp"
	"slices"

	"quire/schema/source"
)

// StoredStreams has the settings of site.json under "streams": which streams of commits of other
// servers this one stores. Without names it stores none.
type StoredStreams struct {
	Names []string
	Bytes int64 // the maximum of each stream, 100 GiB by default
}

// mostStreams limits how many streams a server stores.
const mostStreams = 100

// streamName is the form of the name of a stream, which is that of its folder too.
var streamName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// read reads "streams": {"names": ["guide"], "bytes": 107374182400}.
func (s *StoredStreams) read(o source.Object) {
	o.Only("names", "bytes")
	s.Bytes = int64(o.Whole("bytes", leastQueue, int(s.Bytes)))
	for _, name := range o.Words("names") {
		switch {
		case !streamName.MatchString(name.Text):
			name.Refuse(fmt.Sprintf("%.100q is no name of a stream", name.Text), "use small letters of ASCII, digits and hyphens, 63 at most")
		case slices.Contains(s.Names, name.Text):
			name.Refuse(fmt.Sprintf("%q is there twice", name.Text), "take one out")
		case len(s.Names) == mostStreams:
			name.Refuse("is one name too many", fmt.Sprintf("name %d streams at most", mostStreams))
		default:
			s.Names = append(s.Names, name.Text)
		}
	}
}

func (s *StoredStreams) show() []Shown {
	return []Shown{{Key: "streams.names", Value: append([]string{}, s.Names...)}, inBytes("streams.bytes", s.Bytes)}
}
