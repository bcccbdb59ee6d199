// Package beside tests the examples of programs that run beside the program, as hooks and
// as what answers paths of their own: each in its language, against the program as it is
// built. Where node or python3 is missing a test is skipped, unless the environment has
// EXAMPLES=all.
package beside
