package index

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzAppend: texts, numbers and moments are written as JSON that reads back as
// what they were.
func FuzzAppend(f *testing.F) {
	f.Add("plain", uint64(0), int64(0))
	f.Add("\x00\x1f\"\\\b\f\n\r\t</script>\u2028é🙂", math.Float64bits(-1e-7), int64(-1))
	f.Add("\x7f", math.Float64bits(1e21), int64(253402300799999))
	f.Add("", math.Float64bits(math.MaxFloat64), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, text string, bits uint64, ms int64) {
		var back string
		if err := json.Unmarshal(AppendString(nil, text), &back); err != nil || back != text && utf8.ValidString(text) {
			t.Errorf("%q is written %s and read %q, %v", text, AppendString(nil, text), back, err)
		}
		if n := math.Float64frombits(bits); !math.IsNaN(n) && !math.IsInf(n, 0) {
			written := string(AppendNumber(nil, n))
			got, err := strconv.ParseFloat(written, 64)
			if err != nil || got != n || !json.Valid([]byte(written)) || strings.Contains(written, "+0") {
				t.Errorf("%v is written %s, %v", n, written, err)
			}
		}
		checkMoment(t, ms)
	})
}

func checkMoment(t *testing.T, ms int64) {
	written := AppendTime(nil, ms)
	var text *string
	if err := json.Unmarshal(written, &text); err != nil || (text == nil) != (ms == 0) {
		t.Fatalf("%d is written %s, %v", ms, written, err)
	}
	if year := time.UnixMilli(ms).UTC().Year(); text == nil || year < 0 || year > 9999 {
		return
	}
	if moment, err := time.Parse(time.RFC3339Nano, *text); err != nil || moment.UnixMilli() != ms {
		t.Errorf("%d is written %s and read %v, %v", ms, written, moment, err)
	}
}
