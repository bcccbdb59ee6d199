package query

// fetchedAtOnce is how many rows are fetched before they are looked at: more
// than memory brings side by side, and few enough for the innermost cache.
const fetchedAtOnce = 16

// fetch reads a little of each row. Nothing in this loop waits for what was read
// before, so that memory brings the rows side by side; read one after the other
// as they are needed, each would be waited for.
func (x *reader) fetch(rows []located) {
	for i := range rows {
		e := rows[i].entry
		if len(e.Body) > cacheLine {
			x.fetched += e.Body[0] + e.Body[cacheLine]
		}
		if len(e.DocumentID) > 0 {
			x.fetched += e.DocumentID[0]
		}
	}
}

const cacheLine = 64 // bytes
