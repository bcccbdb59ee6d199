// Package body turns the JSON of a body into checked values.
//
// Its nouns: an [Input] is a body that [Decode] has accepted. It has what is [Given] for each
// attribute: a plain value, component instances ([Instance]) or links ([Links], [Link],
// [Target]). An Input belongs to one write, and ends with it. A [Path] leads to a value inside a
// body, and an [Issue] says what is wrong with that value. [JSON] is text that is known to be
// valid, and is read in place. A [Value] is JSON from a client, or a value made by Go code: a
// parsed form, or attributes that the program sets itself. Both follow the same rules.
//
// Decode checks against the schema and the caller's rights, and refuses unknown keys and values
// of another kind than their attribute. Package content checks what depends on the content:
// whether link targets exist, values are unique and required values present. The rules of plain
// values are here for both, and for checks of stored values: [CheckPublished], [CheckLimits],
// [CheckRewrite].
//
// Errors are typed: [KeyError] for the first key that is not allowed, [ValidationError] for all
// values that are refused.
//
// The package knows neither documents nor callers, and nothing of HTTP.
package body
