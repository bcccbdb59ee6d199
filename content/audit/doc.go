// Package audit holds the stored content against what writes guarantee of it.
//
// [Check] finds each [Fault]: numbers given twice, links that go wrong, versions that
// do not belong together, values that must be unique and are not. [Repair] fixes those
// that can be fixed without losing content. [CheckSequences] and [CheckLocalization]
// are the parts that are quick enough for every start. A [Spot] names what a fault is
// in.
//
// Values that do not fit the schema are for package inspect to report, and damage of
// the file for package store.
package audit
