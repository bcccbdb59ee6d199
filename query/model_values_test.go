package query

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"quire/schema"
	"quire/store"
)

// errRefused is the model's only error: the request is answered with a 400.
var errRefused = errors.New("refused")

// jsonText is a json value as it is stored.
type jsonText string

// value is a scalar attribute of a row: nil, a string, int64, float64, bool or
// jsonText. Moments are in the form in which answers show them.
func (m *model) value(r row, a *schema.Attribute) any {
	if r.entry == nil {
		return nil
	}
	if a.System != schema.NotSystem {
		return systemValue(r, a)
	}
	switch v := r.stored(a.Name); v.Kind {
	case store.Bool:
		return v.Num != 0
	case store.Int:
		return v.Num
	case store.Float:
		return v.Real
	case store.Text:
		return v.Text
	case store.JSON:
		return jsonText(v.Text)
	}
	return nil
}

func systemValue(r row, a *schema.Attribute) any {
	e := r.entry
	switch a.System {
	case schema.SystemID:
		if r.record != nil {
			return int64(r.record.ID)
		}
		return int64(e.ID)
	case schema.SystemDocumentID:
		return e.DocumentID
	case schema.SystemLocale:
		return e.Locale
	case schema.SystemCreatedAt:
		return isoTime(e.CreatedAt)
	case schema.SystemUpdatedAt:
		return isoTime(e.UpdatedAt)
	}
	return isoTime(e.PublishedAt)
}

func isoTime(ms int64) any {
	if ms == 0 {
		return nil
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// plainValue is how an answer shows a value.
func plainValue(a *schema.Attribute, v any) any {
	switch v := v.(type) {
	case int64:
		if a.Kind == schema.BigInteger {
			return strconv.FormatInt(v, 10)
		}
		return float64(v)
	case jsonText:
		var plain any
		if err := json.Unmarshal([]byte(v), &plain); err != nil {
			panic(err)
		}
		return plain
	}
	return v
}

// textOf is a value as the operators that ignore case see it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case jsonText:
		var text string
		if json.Unmarshal([]byte(v), &text) == nil {
			return text
		}
		return string(v)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// operand reads a value of the query as one of an attribute.
func operand(a *schema.Attribute, text string) (any, error) {
	switch a.Kind {
	case schema.Integer, schema.BigInteger:
		whole, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || strings.Trim(fraction, "0") != "" || a.Kind == schema.Integer && (n < math.MinInt32 || n > math.MaxInt32) {
			return nil, errRefused
		}
		return n, nil
	case schema.Float, schema.Decimal:
		f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, errRefused
		}
		return f, nil
	case schema.Boolean:
		return text != "false" && text != "f" && text != "0" && text != "", nil
	case schema.Date:
		return orRefuse(schema.ParseDate(text))
	case schema.Time:
		return orRefuse(schema.ParseTime(text))
	case schema.DateTime, schema.Timestamp:
		moment, err := schema.ParseDateTime(text)
		return orRefuse(moment.UTC().Format(schema.DateTimeLayout), err)
	case schema.JSON, schema.Blocks:
		quoted, err := json.Marshal(text)
		return jsonText(quoted), err
	}
	return text, nil
}

func orRefuse(text string, err error) (any, error) {
	if err != nil {
		return nil, errRefused
	}
	return text, nil
}

// order compares two values of an attribute that are not null, as people and
// Strapi's database sort them. Strings that people take for the same
// differ all the same, by their bytes.
func (m *model) order(a *schema.Attribute, x, y any) int {
	switch x := x.(type) {
	case int64:
		return cmp.Compare(x, y.(int64))
	case float64:
		return cmp.Compare(x, y.(float64))
	case bool:
		return cmp.Compare(strconv.FormatBool(x), strconv.FormatBool(y.(bool)))
	case jsonText:
		return strings.Compare(string(x), string(y.(jsonText)))
	}
	one, other := x.(string), y.(string)
	if !a.IsText() {
		return strings.Compare(one, other)
	}
	return cmp.Or(m.collator.CompareString(one, other), strings.Compare(one, other))
}
