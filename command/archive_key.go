package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// archiveKey is the key of an encrypted archive, from the flags of a command.
type archiveKey struct {
	text string // every user of the machine can see it in the list of processes
	file string // path of a file with the key in its first line
}

// keyVariable names the environment variable with the key. It is used for archives
// whose names say that they are encrypted.
const keyVariable = "QUIRE_KEY"

// longestKey is the maximum number of bytes that are read of a file with a key.
const longestKey = 64 << 10

func (k *archiveKey) flags(c *cobra.Command) {
	c.Flags().StringVar(&k.text, "key", "", "the key itself, which others on this machine can see")
	c.Flags().StringVar(&k.file, "key-file", "", "`FILE` with the key of an encrypted archive in its first line; by default the environment's "+keyVariable)
	c.MarkFlagsMutuallyExclusive("key", "key-file")
}

// read returns the key for an archive with that name; empty for none. The environment
// variable is used only for names that end in .enc.
func (k *archiveKey) read(name string) (string, error) {
	switch {
	case k.file != "":
		return secretIn(k.file, "key")
	case k.text == "" && strings.HasSuffix(name, ".enc"):
		return os.Getenv(keyVariable), nil
	}
	return k.text, nil
}

// secretIn returns the first line of a file with a secret. kind names the secret in
// errors.
func secretIn(file, kind string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, longestKey)).ReadString('\n')
	key := strings.TrimRight(line, "\r\n")
	switch {
	case ignoreEnd(err) != nil:
		return "", err
	case key == "":
		return "", fmt.Errorf("%s holds no %s in its first line", file, kind)
	case len(line) == longestKey:
		return "", fmt.Errorf("the first line of %s is too long to be a %s", file, kind)
	}
	return key, nil
}
