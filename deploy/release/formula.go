package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// formula is the file from which Homebrew installs. A user puts it into a tap.
var formula = template.Must(template.New("quire.rb").Parse(`class Quire < Formula
  desc "Headless CMS that serves the content API of Strapi 5"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "MIT"
{{range .Systems}}
  on_{{.Name}} do
{{- range .Files}}
    on_{{.Processor}} do
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "quire"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/quire.bash" => "quire"
    zsh_completion.install "completions/_quire"
    fish_completion.install "completions/quire.fish"
  end

  service do
    run [opt_bin/"quire", "serve", "--data", var/"quire", etc/"quire"]
    keep_alive true
    log_path var/"log/quire.log"
    error_log_path var/"log/quire.log"
  end

  test do
    assert_match "quire", shell_output("#{bin}/quire version")
  end
end
`))

// system is a system that Homebrew supports, with its archives.
type system struct {
	Name  string // macos or linux
	Files []download
}

type download struct{ Processor, Name, Sum string }

// writeFormula writes the formula of Homebrew, if the URL of the files is known.
func writeFormula(o options, programs []*program) error {
	if o.url == "" {
		return nil
	}
	systems := []system{{Name: "macos"}, {Name: "linux"}}
	at := map[string]int{"darwin": 0, "linux": 1}
	processors := map[string]string{"amd64": "intel", "arm64": "arm"}
	for _, p := range programs {
		i, known := at[p.os]
		if !known || p.tags != "" {
			continue
		}
		name := p.file() + ".tar.gz"
		sum, err := sumOf(filepath.Join(o.out, name))
		if err != nil {
			return err
		}
		systems[i].Files = append(systems[i].Files, download{processors[p.arch], name, sum})
	}
	out, err := os.Create(filepath.Join(o.out, "quire.rb"))
	if err != nil {
		return err
	}
	fields := struct {
		URL, Version string
		Systems      []system
	}{strings.TrimSuffix(o.url, "/"), programs[0].version(), systems}
	return errors.Join(formula.Execute(out, fields), out.Close())
}
