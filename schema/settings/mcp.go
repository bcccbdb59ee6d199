package settings

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"quire/schema/source"
)

// MCP has the settings of site.json under "mcp": what assistants can use of the site.
type MCP struct {
	Enabled bool
	Tools   string // QuireTools or StrapiTools
	Limits  MCPLimits
	Prompts []Prompt
}

// The sets of tools.
const (
	QuireTools  = "quire"
	StrapiTools = "strapi"
)

// MCPLimits are what one assistant can use in a minute, and the size of one answer.
type MCPLimits struct {
	Calls     int // messages, 240
	Documents int // read or written, 10,000
	Bytes     int // of messages and answers, 32 MiB
	Answer    int // bytes of the text of an answer, 48 KiB
}

// Prompt is a text that people choose in their assistant.
type Prompt struct {
	Name, Description, Text string // the text has {{argument}} where an argument belongs
	Arguments               []PromptArgument
}

// PromptArgument is a value that the person gives.
type PromptArgument struct {
	Name, Description string
	Required          bool
}

const (
	mostPrompts     = 50
	mostArguments   = 20
	longestPrompt   = 20_000 // bytes
	longestAbout    = 500    // characters of a description
	leastAnswer     = 1 << 10
	greatestAnswer  = 1 << 20
	greatestOfLimit = 1 << 30
)

var promptName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (m *MCP) show() []Shown {
	l := m.Limits
	return []Shown{
		{Key: "mcp.enabled", Value: m.Enabled}, {Key: "mcp.tools", Value: m.Tools}, {Key: "mcp.prompts", Value: len(m.Prompts)},
		{Key: "mcp.limits.calls", Value: l.Calls}, {Key: "mcp.limits.documents", Value: l.Documents}, {Key: "mcp.limits.bytes", Value: l.Bytes}, {Key: "mcp.limits.answer", Value: l.Answer},
	}
}

// read reads "mcp": {"enabled": true, "tools": "quire", "limits": {...}, "prompts": [...]}.
func (m *MCP) read(o source.Object) {
	o.Only("enabled", "tools", "limits", "prompts")
	m.Enabled = o.Flag("enabled", m.Enabled)
	if m.Tools = textOr(o, "tools", m.Tools); m.Tools != QuireTools && m.Tools != StrapiTools {
		o.RefuseAt("tools", fmt.Sprintf("%.100q is not a set of tools", m.Tools), `write "quire" or "strapi"`)
	}
	limits := o.Object("limits")
	limits.Only("calls", "documents", "bytes", "answer")
	for key, limit := range map[string]*int{"calls": &m.Limits.Calls, "documents": &m.Limits.Documents, "bytes": &m.Limits.Bytes, "answer": &m.Limits.Answer} {
		least, most := 1, greatestOfLimit
		if key == "answer" {
			least, most = leastAnswer, greatestAnswer
		}
		if *limit = limits.Whole(key, least, *limit); *limit > most {
			limits.RefuseAt(key, fmt.Sprintf("is more than %d", most), "lower it")
		}
	}
	readNamed(o, "prompt", mostPrompts, "remove some", func(one source.Object) string {
		p := readPrompt(one)
		m.Prompts = append(m.Prompts, p)
		return p.Name
	})
}

func readPrompt(o source.Object) Prompt {
	o.Only("name", "description", "arguments", "text")
	p := Prompt{Name: o.Text("name"), Description: o.Text("description"), Text: o.Text("text")}
	checkPromptName(o, p.Name)
	checkAbout(o, p.Description)
	if p.Text == "" || len(p.Text) > longestPrompt {
		o.RefuseAt("text", fmt.Sprintf("must be a text of up to %d bytes", longestPrompt), "write what the assistant is to do")
	}
	for _, item := range itemsAt(o, "arguments", "arguments", mostArguments, "remove some") {
		if one, ok := item.Object(); ok {
			one.Only("name", "description", "required")
			a := PromptArgument{Name: one.Text("name"), Description: one.Text("description"), Required: one.Flag("required", false)}
			checkPromptName(one, a.Name)
			checkAbout(one, a.Description)
			p.Arguments = append(p.Arguments, a)
		}
	}
	return p
}

func checkPromptName(o source.Object, name string) {
	if !promptName.MatchString(name) {
		o.RefuseAt("name", "must have 1 to 64 letters, digits, - and _", `write a name such as "review"`)
	}
}

func checkAbout(o source.Object, text string) {
	if utf8.RuneCountInString(text) > longestAbout {
		o.RefuseAt("description", fmt.Sprintf("is longer than %d characters", longestAbout), "shorten it")
	}
}
