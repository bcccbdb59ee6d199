package endurance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// orderFiles are a project whose code writes an entry of a second type with each write.
var orderFiles = map[string]string{
	"site.json": `{}`,
	"src/api/order/content-types/order/schema.json": `{"kind": "collectionType", "info": {"singularName": "order", "pluralName": "orders", "displayName": "Order"}, "options": {"draftAndPublish": false},
		"attributes": {"name": {"type": "string"}, "amount": {"type": "integer"}}}`,
	"src/api/line/content-types/line/schema.json": `{"kind": "collectionType", "info": {"singularName": "line", "pluralName": "lines", "displayName": "Line"}, "options": {"draftAndPublish": false},
		"attributes": {"name": {"type": "string"}, "amount": {"type": "integer"}}}`,
	"src/api/order/content-types/order/lifecycles.js": `module.exports = {
		async afterCreate({ result }) { await strapi.documents('api::line.line').create({ data: { name: result.name, amount: result.amount } }); },
		async afterUpdate({ result }) {
			const line = await strapi.db.query('api::line.line').findOne({ where: { name: result.name } });
			await new Promise((go) => setTimeout(go, 1));
			await strapi.documents('api::line.line').update({ documentId: line.documentId, data: { amount: result.amount } });
		},
	};`,
}

func orderSite(t *testing.T) (site string) {
	t.Helper()
	site = t.TempDir()
	for name, text := range orderFiles {
		file := filepath.Join(site, name)
		requireNil(t, os.MkdirAll(filepath.Dir(file), 0o700))
		requireNil(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return site
}

// amounts returns what a list of the API has, by name.
func (b *batcher) amounts(t *testing.T, path string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for page := 1; ; page++ {
		status, answer, err := b.ask("GET", fmt.Sprintf("%s?pagination[pageSize]=100&sort=id&pagination[page]=%d", path, page), "")
		var list struct {
			Data []struct {
				Name   string
				Amount int
			}
		}
		if err == nil {
			err = json.Unmarshal(answer, &list)
		}
		if err != nil || status != http.StatusOK {
			t.Fatalf("%v: %d %s", err, status, answer)
		}
		for _, one := range list.Data {
			all[one.Name] = one.Amount
		}
		if len(list.Data) == 0 {
			return all
		}
	}
}

// order makes an order and changes it twice. acknowledged gets what was confirmed.
func (b *batcher) order(t *testing.T, name string, acknowledged func(amount int)) (alive bool) {
	method, path := "POST", "/api/orders"
	for amount := 1; amount <= 3; amount++ {
		status, answer, err := b.ask(method, path, fmt.Sprintf(`{"data": {"name": %q, "amount": %d}}`, name, amount))
		if err != nil {
			return false
		}
		var made struct{ Data struct{ DocumentID string } }
		if status >= 300 || json.Unmarshal(answer, &made) != nil {
			t.Errorf("%s: %d %.300s", name, status, answer)
			return true
		}
		acknowledged(amount)
		method, path = "PUT", "/api/orders/"+made.Data.DocumentID
	}
	return true
}

// After a kill at any moment, a write and what the hooks of the project's code have written
// with it are both there or neither, and both if the write was acknowledged.
func TestKilledDuringWritesWithHooks(t *testing.T) {
	t.Parallel()
	const writers = 4
	seed, rounds := program.Chance(t, 4, 200)
	random := rand.New(rand.NewPCG(seed, 31))
	site := orderSite(t)
	b := &batcher{token: program.NewToken(t, site, "test", "full-access")}
	p := program.Serve(t, site)
	b.url = p.URL
	var mu sync.Mutex
	acknowledged := map[string]int{}
	for round := range rounds {
		first := make(chan bool, writers)
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for n := 0; ; n++ {
					name := fmt.Sprintf("r%d w%d n%d", round, w, n)
					alive := b.order(t, name, func(amount int) {
						mu.Lock()
						defer mu.Unlock()
						acknowledged[name] = amount
					})
					if n == 0 {
						first <- true
					}
					if !alive || t.Failed() {
						return
					}
				}
			})
		}
		for range writers { // all hooks run
			<-first
		}
		timer := time.AfterFunc(time.Duration(random.IntN(30_000))*time.Microsecond, func() { p.Process.Kill() })
		all.Wait()
		timer.Stop()
		p.Kill()
		p = program.Serve(t, site)
		b.url = p.URL
		if t.Failed() {
			break
		}
		orders, lines := b.amounts(t, "/api/orders"), b.amounts(t, "/api/lines")
		if !maps.Equal(orders, lines) {
			t.Fatalf("round %d: the orders are %v, the lines %v", round, orders, lines)
		}
		for _, name := range slices.Sorted(maps.Keys(acknowledged)) {
			if orders[name] < acknowledged[name] {
				t.Errorf("round %d: %s was acknowledged with %d and is %d", round, name, acknowledged[name], orders[name])
			}
		}
	}
	p.Kill()
	t.Logf("%d orders were acknowledged", len(acknowledged))
}
