package engine

import (
	"context"
	"encoding/json"
	"fmt"
)

// work does what takes time, beside the loop. A panic is an error of JavaScript.
func (m *machine) work(ctx context.Context, kind, name, text, context string) (result []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.e.o.Log.Error("a function of the host panicked", "name", name, "error", p)
			result, err = nil, fmt.Errorf("%s failed", name)
		}
	}()
	switch kind {
	case "host":
		return m.callHost(ctx, HostCall{Name: name, Arguments: []byte(text), Context: context})
	case "fetch":
		return m.e.fetch(ctx, text)
	}
	return nil, fmt.Errorf("the engine has no %s", kind)
}

func (m *machine) callHost(ctx context.Context, call HostCall) ([]byte, error) {
	if m.e.o.Host == nil {
		return nil, fmt.Errorf("there is no host to call %s", call.Name)
	}
	result, err := m.e.o.Host(ctx, call)
	switch {
	case err != nil:
		return nil, err
	case len(result) > maxResult:
		return nil, fmt.Errorf("the result of %s has %d bytes, more than %d", call.Name, len(result), maxResult)
	case len(result) == 0:
		return []byte("null"), nil
	case !json.Valid(result):
		return nil, fmt.Errorf("the result of %s is not JSON", call.Name)
	}
	return result, nil
}
