package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/documents"
	"quire/schema"
	"quire/schema/settings"
)

// A panic of a tool goes on in the goroutine of the request, with the place where it began, and
// nothing uses the request afterwards.
func TestAPanicOfAToolIsOneOfItsRequest(t *testing.T) {
	site := &schema.Site{Settings: settings.Settings{MCP: settings.MCP{Tools: settings.QuireTools, Limits: settings.MCPLimits{Calls: 10, Documents: 1000, Bytes: 1 << 20, Answer: 1024}}}}
	s := New(site, "1", NewUsage(nil))
	var kept *turn
	s.tools = []*tool{{sdk.Tool{Name: "break"}, func(r *Request, _ json.RawMessage) (*toolResult, error) {
		kept = &turn{Request: r}
		panic("broken")
	}}}
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.HasPrefix(fault, "broken\n") || !strings.Contains(fault, "protocol_test.go") {
			t.Errorf("the fault is %s", fault)
		}
		kept.end()
		if _, err := kept.do(nil); !errors.Is(err, errEnded) {
			t.Errorf("after the end: %v", err)
		}
	}()
	r := &Request{Agent: &Agent{}, Call: &documents.Call{}}
	answer, err := s.Serve(t.Context(), r, http.Header{}, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"break"}}`))
	t.Errorf("it is answered: %+v, %v", answer, err)
}
