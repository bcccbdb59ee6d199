package schema

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Dates and times have the same forms in bodies and in filters, and each has one text in
// which it is stored, compared and sent: "2006-01-02", "15:04:05.999" without trailing
// zeros, and "2006-01-02T15:04:05.000Z".

// MomentError reports an invalid date or time; its text is Strapi's message.
type MomentError string

func (e MomentError) Error() string { return string(e) }

const (
	ErrDateFormat     MomentError = "Invalid format, expected yyyy-MM-dd"
	ErrDate           MomentError = "Invalid date"
	ErrTimeFormat     MomentError = "Invalid time format, expected HH:mm:ss.SSS"
	ErrDateTimeFormat MomentError = "Invalid format, expected a timestamp or an ISO date"
)

var (
	datePattern = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)
	timePattern = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?$`)
)

// ParseDate reads a date, or the date part of an ISO date and time.
func ParseDate(text string) (string, error) {
	day := text
	if len(text) > 10 {
		if _, ok := parseISO(text); !ok {
			return "", ErrDateFormat
		}
		day = text[:10]
	}
	if !datePattern.MatchString(day) {
		return "", ErrDateFormat
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", ErrDate
	}
	return day, nil
}

// ParseTime reads a time of day and removes trailing zeros of its fraction.
func ParseTime(text string) (string, error) {
	if !timePattern.MatchString(text) {
		return "", ErrTimeFormat
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text, nil
}

// DateTimeLayout is the form of a moment in responses, always in UTC.
const DateTimeLayout = "2006-01-02T15:04:05.000Z"

// ParseDateTime reads an ISO date or date and time, in UTC unless it has an offset, or the
// milliseconds since 1970.
func ParseDateTime(text string) (time.Time, error) {
	if moment, ok := parseISO(text); ok {
		return moment, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > -1e14 && ms < 1e14 && len(text) > 4 {
		return time.UnixMilli(ms).UTC(), nil
	}
	return time.Time{}, ErrDateTimeFormat
}

var isoLayouts = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04Z07", "2006-01-02T15:04",
	"2006-01-02T15Z07:00", "2006-01-02T15", "2006-01-02", "2006-01", "2006",
}

// parseISO reads the ISO forms that Strapi accepts, also with a space instead of the T.
func parseISO(text string) (time.Time, bool) {
	if len(text) < 4 || len(text) > 40 {
		return time.Time{}, false
	}
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range isoLayouts {
		if moment, err := time.Parse(layout, text); err == nil {
			return moment.UTC(), true
		}
	}
	return time.Time{}, false
}
