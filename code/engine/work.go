package engine

import (
	"context"
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
		return m.callHost(ctx, m.e.o.Host, HostCall{Name: name, Arguments: []byte(text), Context: context, Open: m.open})
	case "fetch":
		return m.e.fetch(ctx, text)
	}
	return nil, fmt.Errorf("the engine has no %s", kind)
}

// nativeNow calls the host and waits: the name, the text, the context. The result is JSON, with
// whether it is the value or an error.
func (m *machine) nativeNow(a arguments) (any, error) {
	result, err := m.callHost(m.ctx, m.e.o.Now, HostCall{Name: a.text(0), Arguments: []byte(a.text(1)), Context: a.text(2), Open: m.open})
	if err != nil {
		return `{"error":` + errorText(err) + `}`, nil
	}
	return `{"value":` + string(result) + `}`, nil
}

// callHost calls the host. js/core.js refuses a result that is not JSON.
func (m *machine) callHost(ctx context.Context, host Host, call HostCall) ([]byte, error) {
	if host == nil {
		return nil, fmt.Errorf("there is no host to call %s", call.Name)
	}
	result, err := host(ctx, call)
	switch {
	case err != nil:
		return nil, err
	case len(result) > maxResult:
		return nil, fmt.Errorf("the result of %s has %d bytes, more than %d", call.Name, len(result), maxResult)
	case len(result) == 0:
		return []byte("null"), nil
	}
	return result, nil
}
