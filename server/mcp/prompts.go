package mcp

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/schema/settings"
)

// Prompts: texts of site.json that people choose in their assistant.

func listPrompts(r *Request, _ sdk.Params) (sdk.Result, error) {
	result := &sdk.ListPromptsResult{Cacheable: forAgent(), Prompts: []*sdk.Prompt{}}
	for _, p := range r.server.site.Settings.MCP.Prompts {
		shown := &sdk.Prompt{Name: p.Name, Description: p.Description}
		for _, a := range p.Arguments {
			shown.Arguments = append(shown.Arguments, &sdk.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		result.Prompts = append(result.Prompts, shown)
	}
	return result, nil
}

// getPrompt returns the text of a prompt of site.json, with its arguments.
func getPrompt(r *Request, p sdk.Params) (sdk.Result, error) {
	given, all := p.(*sdk.GetPromptParams), r.server.site.Settings.MCP.Prompts
	at := slices.IndexFunc(all, func(p settings.Prompt) bool { return p.Name == given.Name })
	if at < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "There is no such prompt"}
	}
	prompt := &all[at]
	var pairs []string
	size := 0 // of the arguments, wherever they stand in the text
	for _, a := range prompt.Arguments {
		text := given.Arguments[a.Name]
		if a.Required && text == "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The prompt needs the argument " + a.Name}
		}
		key := "{{" + a.Name + "}}"
		pairs = append(pairs, key, text)
		size += strings.Count(prompt.Text, key) * len(text)
	}
	if most := r.server.site.Settings.MCP.Limits.Answer; size > most {
		return nil, refuse("the arguments have more than %d bytes in the prompt", most)
	}
	text := strings.NewReplacer(pairs...).Replace(prompt.Text)
	return &sdk.GetPromptResult{Description: prompt.Description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}
