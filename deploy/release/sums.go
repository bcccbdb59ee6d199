package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// writeSums writes SHA256SUMS, which `sha256sum --check` reads, and returns its path.
func writeSums(out string) (string, error) {
	entries, err := os.ReadDir(out)
	if err != nil {
		return "", err
	}
	var sums bytes.Buffer
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(out, e.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, e.Name())
	}
	path := filepath.Join(out, "SHA256SUMS")
	return path, os.WriteFile(path, sums.Bytes(), 0o644)
}

// sign writes the signature of a file, made with an SSH key, beside it as FILE.sig.
func sign(key, path string) error {
	c := exec.Command("ssh-keygen", "-Y", "sign", "-q", "-n", "file", "-f", key, path)
	c.Stdin, c.Stderr = os.Stdin, os.Stderr // it asks for the passphrase of the key
	if err := c.Run(); err != nil {
		return fmt.Errorf("sign %s with ssh-keygen: %w", path, err)
	}
	return nil
}

// sumOf returns the SHA-256 of a file, in hexadecimal.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
