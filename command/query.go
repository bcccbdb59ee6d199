package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth"
)

func newQuery() *cobra.Command {
	var at app.Location
	var in app.QueryRequest
	c := &cobra.Command{
		Use:   "query [--as CALLER] [--explain] PATH [SITE]",
		Short: "Read content as the API returns it",
		Long: `Query prints the response of the content API to GET /api/PATH, with the same
parameters, permissions and limits as for a client. PATH is what follows /api/ in a URL,
such as a list, a document, _count or _aggregate. Quote it in a shell.

CALLER says whose permissions apply:

  full-access  everything, as with a token of full access (the default)
  public       what callers without a credential see
  NAME         what the API token of that name may read

Drafts are shown where PATH asks for them with status=draft and CALLER may see them.
Private attributes and passwords are never shown.

A running server answers. Without one the data file is read.`,
		Example: `  quire query 'restaurants?filters[chef][name][$eq]=Ada&populate=dishes' my-site
  quire query --as public restaurants
  quire query 'restaurants?status=draft&fields=name' | jq -r '.data[].name'
  quire query --explain 'restaurants?sort=name'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			in.Target, at.Site = args[0], siteArgument(args[1:])
			if in.Explain && in.As != auth.AsOwner {
				return misused("--explain is for --as %s", auth.AsOwner)
			}
			response, who, err := at.Query(c.Context(), in)
			if err != nil {
				return err
			}
			out := outputOf(c)
			out.doneBy(who + ", as " + in.As)
			if response.Status >= 400 {
				return refusal(in.Target, response)
			}
			if in.Explain {
				steps := strings.Split(response.Plan, "; ")
				return out.result(map[string][]string{"plan": steps}, line("%s", strings.Join(steps, "\n")))
			}
			return printBody(out.stdout, response.Body)
		},
	}
	c.Flags().StringVar(&in.As, "as", auth.AsOwner, "whose permissions apply: full-access, public or the name of an API token, `CALLER`")
	c.Flags().BoolVar(&in.Explain, "explain", false, "print how the query was run instead of the response")
	dataFlag(c, &at)
	return c
}

// refusal returns the error in the response of the API. For a list or a single type that does not
// exist, it names the command that lists them.
func refusal(target string, response app.QueryResponse) error {
	var said struct {
		Error struct {
			Name, Message string
			Details       json.RawMessage
		}
	}
	if err := json.Unmarshal(response.Body, &said); err != nil {
		return fmt.Errorf("the API responded with %d: %w", response.Status, err)
	}
	text := fmt.Sprintf("%d %s: %s", response.Status, said.Error.Name, said.Error.Message)
	if len(said.Error.Details) > len("{}") {
		text += " " + string(said.Error.Details)
	}
	path, _, _ := strings.Cut(target, "?")
	if response.Status == http.StatusNotFound && !strings.Contains(strings.TrimPrefix(path, "/api/"), "/") {
		text += "; `quire routes` lists the paths"
	}
	return fmt.Errorf("%s", text)
}

// printBody prints JSON, indented if a person reads it.
func printBody(w io.Writer, body []byte) error {
	text := bytes.NewBuffer(body)
	if isTerminal(w) {
		text = new(bytes.Buffer)
		if err := json.Indent(text, body, "", "  "); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
