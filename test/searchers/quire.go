//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The site on which Quire searches: one type with the texts, in two locales, which everybody
// may find.
const (
	siteSettings = `{"i18n": {"defaultLocale": "en", "locales": [{"code": "en"}, {"code": "de"}]}, "auth": {"rateLimit": {"enabled": false}}, "limits": {"querySeconds": 60},
	"roles": {"public": {"api::text.text": ["find"]}}}`
	textSchema = `{"kind": "collectionType", "info": {"singularName": "text", "pluralName": "texts", "displayName": "Text"}, "options": {"draftAndPublish": false},
	"pluginOptions": {"i18n": {"localized": true}}, "attributes": {"number": {"type": "integer"},
	"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}}, "text": {"type": "text", "pluginOptions": {"i18n": {"localized": true}}}}}`
)

// startQuire imports the texts and serves them. What it takes to build is the time from the
// start of the server to the first result.
func startQuire(program, folder string, texts []text) (_ *server, err error) {
	site := filepath.Join(folder, "site")
	types := filepath.Join(site, "src/api/text/content-types/text")
	lines := filepath.Join(folder, "import.ndjson")
	if err := os.MkdirAll(types, 0o700); err != nil {
		return nil, err
	}
	for name, content := range map[string]string{filepath.Join(site, "site.json"): siteSettings, filepath.Join(types, "schema.json"): textSchema} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	if err := writeImport(lines, texts); err != nil {
		return nil, err
	}
	begun := time.Now()
	if out, err := exec.Command(program, "import", lines, site).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	say("Quire: the import took %v", time.Since(begun).Round(100*time.Millisecond))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	s := &server{Cmd: exec.Command(program, "serve", site), address: address, path: "/api/texts/_search", suggest: "/api/texts/_suggest"}
	s.Env = append(os.Environ(), "HOST=127.0.0.1", "PORT="+address[len("127.0.0.1:"):])
	begun = time.Now()
	if err := s.Start(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	if err := s.await(); err != nil {
		return nil, err
	}
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	before, err := residentOf(s.Process.Pid)
	if err != nil {
		return nil, err
	}
	_, err = s.find(c, "en", "dog")
	s.built = time.Since(begun)
	say("Quire: before the first search %d MiB are resident", before>>20)
	return s, err
}

// await waits until the server is ready.
func (s *server) await() error {
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		a, err := http.Get("http://" + s.address + "/_ready")
		if err != nil {
			continue
		}
		a.Body.Close()
		if a.StatusCode == http.StatusNoContent {
			return nil
		}
	}
	return fmt.Errorf("the server is not ready within a minute")
}

func writeImport(name string, texts []text) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	for _, one := range texts {
		line, err := json.Marshal(map[string]any{"type": "api::text.text", "locale": one.Locale, "data": map[string]any{"number": one.Number, "title": one.Title, "text": one.Text}})
		if err != nil {
			return err
		}
		out.Write(append(line, '\n')) // an error is that of Flush
	}
	return out.Flush()
}
