//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// turns is how often updates are measured on each of two servers, in turn.
const turns = 10

// streamedFigures compare updates of a site and of a copy of it with a stream.
type streamedFigures struct {
	without, with float64 // updates a second
	cost          float64 // of the stream, in percent of the time: the median of the turns
	processor     float64 // the same, of the processor time of the servers, which hardly depends on what else runs
}

// measureStream updates a site and a copy that streams its commits to another folder, in turn.
func (f *figures) measureStream(o options, folder, site, token string, g *guide) (err error) {
	streamed, target := filepath.Join(folder, "streamed"), filepath.Join(folder, "target")
	if err := os.CopyFS(streamed, os.DirFS(site)); err != nil {
		return err
	}
	if err := addStream(filepath.Join(streamed, "site.json"), target); err != nil {
		return err
	}
	var addresses [2]string
	var servers [2]*exec.Cmd
	for i, one := range []string{site, streamed} {
		c, address, err := f.launch(o.binary, one)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end(c)) }()
		addresses[i], servers[i] = address, c
	}
	if err := awaitImage(target); err != nil {
		return err
	}
	o.updates /= turns
	var spent, used [2]time.Duration
	begin, err := usedBy(servers)
	if err != nil {
		return err
	}
	var ratios []float64
	for turn := range turns {
		var took [2]time.Duration
		for n := range 2 {
			i := (n + turn) % 2
			begun := time.Now()
			if err := f.update(o, addresses[i], token, g); err != nil {
				return err
			}
			took[i] = time.Since(begun)
			spent[i] += took[i]
		}
		ratios = append(ratios, took[1].Seconds()/took[0].Seconds())
	}
	if used, err = usedBy(servers); err != nil {
		return err
	}
	slices.Sort(ratios)
	all := float64(turns * o.updates)
	f.streamed = streamedFigures{all / spent[0].Seconds(), all / spent[1].Seconds(), 100 * (ratios[turns/2] - 1), 100 * ((used[1]-begin[1]).Seconds()/(used[0]-begin[0]).Seconds() - 1)}
	return os.RemoveAll(streamed)
}

// usedBy returns the processor time that servers have used so far.
func usedBy(servers [2]*exec.Cmd) (used [2]time.Duration, err error) {
	for i, c := range servers {
		if used[i], err = processorTime(c.Process.Pid); err != nil {
			return used, err
		}
	}
	return used, nil
}

// addStream adds a stream to a site.json.
func addStream(name, target string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var settings map[string]any
	if err := json.Unmarshal(text, &settings); err != nil {
		return err
	}
	settings["backup"] = map[string]any{"stream": map[string]any{"folder": target}}
	if text, err = json.Marshal(settings); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

// awaitImage waits until a stream has begun: making its image is not part of the cost of updates.
func awaitImage(target string) error {
	for range 3000 {
		if images, err := filepath.Glob(filepath.Join(target, "*.a.*")); err != nil || len(images) > 0 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the stream in %s does not begin", target)
}
