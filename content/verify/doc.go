// Package verify checks stored content against what writes guarantee.
//
// [Check] finds each [Fault]: numbers that were assigned twice, links that lead to the wrong
// place, versions that do not belong together, values that must be unique and are not. [Repair]
// fixes the faults that can be fixed without losing content. [CheckSequences] and
// [CheckLocalization] are the parts that are fast enough for every start. A [Spot] says where a
// fault is.
//
// Package inspect reports values that do not fit the schema, and package store reports damage of
// the file.
package verify
