package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/app"
)

func newMCP() *cobra.Command {
	var as string
	c := onSite(0, &cobra.Command{
		Use:   "mcp [--as ASSISTANT] [SITE]",
		Short: "Let an assistant on this machine use the site",
		Long: `MCP speaks the Model Context Protocol over standard input and output: one message on
each line. An assistant on this machine, such as an editor, starts it.

The assistant reads all content and writes drafts, and nothing else; history and the
audit log say "command mcp". With --as it has the rights and the name of an assistant
of an account, by its id.

A running server answers. Without one, the data file is opened for each message.`,
		Example: `  quire mcp my-site
  claude mcp add quire -- quire mcp /srv/my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		if _, err := at.Load(); err != nil {
			return err
		}
		return converse(c.Context(), at, as, c.InOrStdin(), c.OutOrStdout())
	})
	c.Flags().StringVar(&as, "as", "", "the id of an assistant of an account, `ASSISTANT`")
	return c
}

// longestMessage is the maximum length of a line, in bytes.
const longestMessage = 8 << 20

// converse answers the messages of an assistant until there are no more.
func converse(ctx context.Context, at app.Location, as string, from io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestMessage)
	for lines.Scan() {
		message := bytes.TrimSpace(lines.Bytes())
		if len(message) == 0 {
			continue
		}
		answer, err := answerLine(ctx, at, as, message)
		if err != nil {
			return err
		}
		if answer == nil {
			continue
		}
		if _, err := fmt.Fprintf(to, "%s\n", answer); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message has more than %d MiB", longestMessage>>20)
	}
	return lines.Err()
}

// answerLine answers one message; nil for one without an answer.
func answerLine(ctx context.Context, at app.Location, as string, message []byte) (json.RawMessage, error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string                     `json:"name"`
			URI  string                     `json:"uri"`
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if !json.Valid(message) {
		return json.RawMessage(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"This is not JSON"}}`), nil
	}
	_ = json.Unmarshal(message, &m) // the server says what is wrong
	in := app.MCPMessage{As: as, Message: bytes.Clone(message), Headers: map[string]string{}}
	var version string
	if json.Unmarshal(m.Params.Meta["io.modelcontextprotocol/protocolVersion"], &version) == nil {
		in.Headers["Mcp-Protocol-Version"], in.Headers["Mcp-Method"] = version, m.Method
		if name := m.Params.Name + m.Params.URI; name != "" {
			in.Headers["Mcp-Name"] = name
		}
	}
	r, err := at.Tell(ctx, in)
	if err != nil || len(r.Body) == 0 || m.ID == nil {
		return nil, err
	}
	var response map[string]json.RawMessage
	if r.Status < 400 || json.Unmarshal(r.Body, &response) != nil {
		return r.Body, nil
	}
	code, _ := json.Marshal(r.Status)
	if response["jsonrpc"] == nil { // an error of the server and not of the protocol
		response = map[string]json.RawMessage{"jsonrpc": json.RawMessage(`"2.0"`), "error": json.RawMessage(`{"code":-32000,"message":"The server answered ` + string(code) + `"}`)}
	}
	response["id"] = m.ID
	return json.Marshal(response)
}
