package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// archiveKey is the key of an encrypted archive, as a command is given it.
type archiveKey struct {
	text string // in the list of processes, for all to see
	file string // which holds it in its first line
}

// keyVariable holds the key of archives whose names say that they are encrypted.
const keyVariable = "QUIRE_KEY"

// longestKey bounds what is read of a file with a key.
const longestKey = 64 << 10

func (k *archiveKey) flags(c *cobra.Command) {
	c.Flags().StringVar(&k.text, "key", "", "the key itself, which others on this machine can see")
	c.Flags().StringVar(&k.file, "key-file", "", "`FILE` with the key of an encrypted archive in its first line; by default the environment's "+keyVariable)
	c.MarkFlagsMutuallyExclusive("key", "key-file")
}

// read returns the key for an archive of that name, empty for none. The
// environment counts for names that end in .enc.
func (k *archiveKey) read(name string) (string, error) {
	switch {
	case k.file != "":
		return secretIn(k.file, "key")
	case k.text == "" && strings.HasSuffix(name, ".enc"):
		return os.Getenv(keyVariable), nil
	}
	return k.text, nil
}

// secretIn returns the first line of a file with a secret of that kind.
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
