// Package body turns the JSON of a body into checked values.
//
// Its nouns: an [Input] is a body that [Decode] has accepted. It says what is
// [Given] for each attribute: a plain value, component instances ([Instance]) or links
// ([Links], [Link], [Target]). An Input belongs to one write, and ends with it. A
// [Path] leads to a value inside a body, and an [Issue] says what is wrong with it.
// [JSON] is text that is known to be valid, and is read in place. A [Value] is JSON that
// a client has sent, or what Go code has made: a form that was parsed, or attributes
// that the program sets itself. Both go through the same rules.
//
// Decode goes by the schema and by what the caller may do, and refuses unknown keys
// and values of another kind than their attribute's. What depends on the content is
// for package content to find out: whether link targets exist, values are unique and
// required ones present. For it, and for whoever checks stored values, the rules of
// plain values are here too: [CheckPublished], [CheckLimits], [CheckRewrite].
//
// Errors are typed: [KeyError] for the first key that must not be there,
// [ValidationError] for all values that are refused.
//
// The package knows neither documents nor who writes them, and nothing of HTTP.
package body
