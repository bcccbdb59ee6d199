package schema_test

import (
	"testing"
	"time"

	"quire/schema"
	"quire/schema/settings"
)

// FuzzMoment: a date or a time is refused, or becomes a text in the one form of
// its kind, which is read back as itself.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{
		"2020-02-29", "2021-02-29", "0000-01-01", "10:30:00.100", "23:59:60", "2020-02-29T24:00:00Z", "1582970400000", "-62135596800001",
		"2020-02-29 10:30:00+14:00", "9999-12-31T23:59:59.999-14:00", "2020", "12345", "90d", "-1ns", "9223372036854775807d",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, parse := range map[string]func(string) (string, error){"date": schema.ParseDate, "time": schema.ParseTime} {
			once, err := parse(text)
			if err != nil {
				continue
			}
			if again, err := parse(once); err != nil || again != once {
				t.Errorf("the %s %q becomes %q and that %q, %v", name, text, once, again, err)
			}
		}
		if date, err := schema.ParseDate(text); err == nil {
			if _, err := time.Parse(time.DateOnly, date); err != nil {
				t.Errorf("%q is no date: %q", text, date)
			}
		}
		checkDateTime(t, text)
		if d, err := settings.ParseDuration(text); err == nil {
			if again, err := settings.ParseDuration(d.String()); err != nil || again != d {
				t.Errorf("%q is %s, and that %s, %v", text, d, again, err)
			}
		}
	})
}

func checkDateTime(t *testing.T, text string) {
	moment, err := schema.ParseDateTime(text)
	if err != nil || moment.Year() < 0 || moment.Year() > 9999 {
		return
	}
	written := moment.Format(schema.DateTimeLayout)
	again, err := schema.ParseDateTime(written)
	if err != nil || again.Format(schema.DateTimeLayout) != written || moment.Sub(again).Abs() >= time.Millisecond {
		t.Errorf("%q is %s, written %q and read as %s, %v", text, moment, written, again, err)
	}
}
