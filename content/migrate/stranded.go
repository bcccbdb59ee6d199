package migrate

import (
	"context"
	"slices"

	"quire/store"
)

// addStranded adds what is stored in locales that the new site would not have any more, if the
// evolution must keep all of it.
func (e Evolution) addStranded(ctx context.Context, tx *store.Tx, plan *Plan) error {
	if !e.KeepsAll || e.From == nil {
		return nil
	}
	v := evolver{types: e.names()}
	for _, t := range e.To.Types {
		uid := v.storedUID(t.UID)
		lost := slices.DeleteFunc(slices.Clone(tx.Locales(uid)), func(locale string) bool {
			return e.To.Settings.HasLocale(locale) || !e.From.Settings.HasLocale(locale)
		})
		if len(lost) == 0 {
			continue
		}
		found := make([]Effect, len(lost))
		seen := make([]map[string]bool, len(lost))
		err := tx.Scan(uid, func(entry *store.Entry) error {
			if i := slices.Index(lost, entry.Locale); i >= 0 {
				if seen[i] == nil {
					seen[i] = map[string]bool{}
				}
				seen[i][entry.DocumentID] = true
				found[i] = Effect{Kind: Stranded, Type: t.UID, Detail: entry.Locale, Entries: found[i].Entries + 1, Documents: len(seen[i])}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		plan.Effects = append(plan.Effects, slices.DeleteFunc(found, func(f Effect) bool { return f.Entries == 0 })...)
	}
	return nil
}
