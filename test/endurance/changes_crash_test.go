package endurance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// approver is a person with an assistant that asks.
type approver struct {
	*batcher
	*adminSession
	assistant batcher // with the token of the assistant
}

// openChanges returns a site of which assistants write nothing alone, and serves it.
func openChanges(t *testing.T) (a *approver, site string, p *program.Server) {
	t.Helper()
	site = program.NewSite(t)
	requireNil(t, os.WriteFile(filepath.Join(site, "site.json"), []byte(`{"mcp": {"enabled": true}}`), 0o600))
	addOwner(t, site)
	a = &approver{batcher: &batcher{token: program.NewToken(t, site, "test", "full-access")}}
	p = program.Serve(t, site)
	a.adminSession = signInAdmin(t, p.URL)
	var made struct{ Token string }
	a.must("POST", "/assistants", `{"name": "robot", "days": 1, "limits": {"publish": "ask"}}`, &made)
	a.assistant.token = made.Token
	a.moveTo(p.URL)
	return a, site, p
}

// moveTo asks the program at another address.
func (a *approver) moveTo(url string) {
	a.batcher.url, a.adminSession.url, a.assistant.url = url, url, url
}

var changesLink = regexp.MustCompile(`/admin/changes/([0-9a-f]{16})`)

// propose makes a change set that creates documents, each of which has the number of the set in
// its name.
func (a *approver) propose(t *testing.T, number int) (id string) {
	t.Helper()
	var items []string
	for i := range batchSize {
		items = append(items, fmt.Sprintf(`{"type": "api::cuisine.cuisine", "data": {"name": "batch %d %d"}}`, number, i))
	}
	status, answer, err := a.assistant.ask("POST", "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "write", "arguments": {"items": [`+strings.Join(items, ",")+`]}}}`)
	found := changesLink.FindSubmatch(answer)
	if err != nil || status != http.StatusOK || found == nil {
		t.Fatalf("proposing: %v, %d %.300s", err, status, answer)
	}
	return string(found[1])
}

// After a kill at any moment of its approval a change set is done whole and approved, or nothing
// of it is done and it waits; it is done if that was acknowledged. What waits can be approved.
func TestKilledDuringAnApproval(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 3, 200)
	random := rand.New(rand.NewPCG(seed, 11))
	a, site, p := openChanges(t)
	var took time.Duration
	for n := -1; n <= 0; n++ { // the second takes as long as those to come
		id, begun := a.propose(t, n), time.Now()
		a.must("POST", "/changes/"+id+"/approve", "", nil)
		took = time.Since(begun)
	}
	whole := 0
	for n := 1; n <= rounds; n++ {
		id := a.propose(t, n)
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { p.Process.Kill() })
		status, err := a.adminSession.ask("POST", "/changes/"+id+"/approve", "", nil)
		timer.Stop()
		p.Kill()
		acknowledged := err == nil && status == http.StatusNoContent
		if err == nil && !acknowledged && status != http.StatusServiceUnavailable {
			t.Errorf("approving is answered with %d", status)
		}
		p = program.Serve(t, site)
		a.moveTo(p.URL)
		var set struct{ State string }
		a.must("GET", "/changes/"+id, "", &set)
		switch got := a.count(t, fmt.Sprintf("batch %d ", n)); {
		case set.State == "approved" && got == batchSize:
			whole++
		case set.State != "waiting" || got != 0 || acknowledged:
			t.Errorf("change set %d is %s, and there are %d documents; acknowledged: %t", n, set.State, got, acknowledged)
		default:
			a.must("POST", "/changes/"+id+"/approve", "", nil)
			if got := a.count(t, fmt.Sprintf("batch %d ", n)); got != batchSize {
				t.Errorf("approved after the kill, change set %d has made %d documents", n, got)
			}
		}
		if status, err := a.adminSession.ask("POST", "/changes/"+id+"/approve", "", nil); err != nil || status != http.StatusConflict {
			t.Errorf("approved once more: %d, %v", status, err)
		}
	}
	p.Kill()
	if code, _, said := program.Run(t, "check", site); code != 0 {
		t.Errorf("check: %s", said)
	}
	t.Logf("%d of %d approvals were done when the program was killed", whole, rounds)
}
