package engine

import (
	"errors"
	"reflect"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// QuickJS says which promises are rejected while nobody awaits them. Package quickjs does not
// pass that on, so this file asks the C library below it.

// tracked leads from the context of a machine, as the library knows it, to the machine.
var tracked sync.Map // uintptr → *machine

// A value has the fields of a quickjs.Value. TestARejectedPromise fails if they change.
type value struct {
	vm *quickjs.VM
	v  lib.TJSValue
}

// openLibrary finds what package quickjs keeps of the library.
func (m *machine) openLibrary() error {
	vm := reflect.ValueOf(m.vm).Elem()
	context, runtime := vm.FieldByName("cContext"), vm.FieldByName("runtime")
	if !context.IsValid() || !runtime.IsValid() || unsafe.Sizeof(value{}) != unsafe.Sizeof(quickjs.Value{}) {
		return errors.New("this version of modernc.org/quickjs is not known")
	}
	m.address, m.runtime = uintptr(context.Uint()), uintptr(runtime.Elem().FieldByName("cRuntime").Uint())
	m.tls = (*libc.TLS)(runtime.Elem().FieldByName("tls").UnsafePointer())
	m.plain = newPlainWriter(m.tls, m.address)
	return nil
}

func (m *machine) trackRejections() (err error) {
	if m.reject, err = m.vm.EvalValue("__engine.reject", quickjs.EvalGlobal); err != nil {
		return m.thrown(err)
	}
	tracked.Store(m.address, m)
	callback := noteRejection
	lib.XJS_SetHostPromiseRejectionTracker(m.tls, m.runtime, *(*uintptr)(unsafe.Pointer(&callback)), 0)
	return nil
}

// A rejection is a promise that was rejected without a handler, or that got one since.
type rejection struct {
	promise, reason quickjs.Value
	handled         bool
}

// noteRejection keeps a rejection until the jobs have run: it must not call JavaScript.
func noteRejection(_ *libc.TLS, context uintptr, promise, reason lib.TJSValue, handled int32, _ uintptr) {
	found, _ := tracked.Load(context)
	m, ok := found.(*machine)
	if !ok {
		return
	}
	p, r := value{m.vm, promise}, value{m.vm, reason}
	m.rejections = append(m.rejections, rejection{
		promise: (*quickjs.Value)(unsafe.Pointer(&p)).Dup(), reason: (*quickjs.Value)(unsafe.Pointer(&r)).Dup(), handled: handled != 0,
	})
}

// passRejections gives what was noted to core.js, which logs what nobody has awaited when the
// jobs have run.
func (m *machine) passRejections() {
	noted := m.rejections
	m.rejections = nil
	for _, r := range noted {
		// An error means that memory ran out, and that this rejection is not reported.
		_, _ = m.reject.Call(quickjs.UndefinedValue, r.promise, r.reason, r.handled)
		r.promise.Free()
		r.reason.Free()
	}
}
