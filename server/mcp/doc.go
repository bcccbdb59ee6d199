// Package mcp serves assistants: programs with a language model that ask by the Model
// Context Protocol. The SDK speaks the protocol; this package has the tools, resources and
// prompts.
//
// Its nouns: a [Server] is what one version of a site offers. An [Agent] is an assistant: on
// whose behalf it asks, and what it may do without a person. A [Request] is one message of an
// agent. A [Host] does what is not about documents. [Usage] counts what each agent has used.
//
// Each tool is a file: a struct with its arguments, whose fields are also their schema (see
// argumentsOf), and below it what the tool does, from the arguments to the answer. Those of
// Strapi's names are in strapi.go, and read and change documents by the same functions.
//
// Answers are short, because a model reads every character of them. Text that comes from the
// content stands below a fixed line that calls it data.
//
// A Server lives as long as its version of the site and is shared. A Request belongs to one
// goroutine at a time: to the one that has made it, which waits while one of the SDK answers.
//
// The package has no rule about content: package documents decides what an agent sees and
// may do. The limits of an Agent only say when a person has to agree first.
package mcp
