// Package beside tests the examples of programs beside Quire, as hooks and as processes
// that answer paths of their own: each in its language, against the built program. If node
// or python3 is missing, a test is skipped.
package beside
