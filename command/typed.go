package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// unlessStopped reads input that may be typed first, and stops when ctx is done. Later
// input is lost.
func unlessStopped[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := read()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// readNewPassword reads a password from the first line of standard input. On a terminal,
// it asks for one without showing it.
func readNewPassword(c *cobra.Command) (string, error) {
	terminal, ok := c.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return unlessStopped(c.Context(), func() (string, error) { return firstLine(c.InOrStdin()) })
	}
	return askPassword(c, int(terminal.Fd()))
}

// askPassword reads a password from a terminal, and restores the terminal afterwards.
func askPassword(c *cobra.Command, terminal int) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	fmt.Fprint(c.ErrOrStderr(), "Password: ")
	password, err := unlessStopped(c.Context(), func() ([]byte, error) { return term.ReadPassword(terminal) })
	fmt.Fprintln(c.ErrOrStderr())
	if err != nil {
		return "", errors.Join(err, term.Restore(terminal, before))
	}
	return string(password), nil
}

// longestLine is the maximum length of the line that firstLine reads, in bytes. Every
// password is shorter.
const longestLine = 64 << 10

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, longestLine)).ReadString('\n')
	if len(line) == longestLine {
		return "", errors.New("the first line of standard input is too long to be a password")
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", errors.Join(errors.New("standard input holds no password"), ignoreEnd(err))
	}
	return line, nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
