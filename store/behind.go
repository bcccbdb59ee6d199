package store

import "os"

// behind writes to a file while its caller goes on: what was gathered last is written
// while more is gathered. One goroutine may use it at a time.
type behind struct {
	file     *os.File
	at       int64      // where in the file what is gathered belongs
	gathered []byte     // what is not written yet
	spare    []byte     // the memory of what was written before
	writing  chan error // nil where nothing is being written
	err      error      // the first there was; nothing is written after it
}

// gatheredBytes is how much is written at a time.
const gatheredBytes = 1 << 20

// write adds b to the file.
func (w *behind) write(b []byte) {
	if len(w.gathered)+len(b) > gatheredBytes {
		w.start()
	}
	w.gathered = append(w.gathered, b...)
}

// goOn writes to another place of the file from now on.
func (w *behind) goOn(at int64) {
	w.start()
	w.at = at
}

// start begins to write what is gathered, once what was before is written.
func (w *behind) start() {
	w.wait()
	if w.err != nil {
		w.gathered = nil
	}
	if len(w.gathered) == 0 {
		return
	}
	b, at, done := w.gathered, w.at, make(chan error, 1)
	go func() {
		_, err := w.file.WriteAt(b, at)
		done <- err
	}()
	w.gathered, w.spare, w.writing = w.spare[:0], b, done
	w.at += int64(len(b))
}

// wait returns when nothing is being written.
func (w *behind) wait() {
	if w.writing == nil {
		return
	}
	if err := <-w.writing; w.err == nil {
		w.err = err
	}
	w.writing = nil
}

// flush returns when all is in the file. Its error is the first that there was.
func (w *behind) flush() error {
	w.start()
	w.wait()
	w.gathered, w.spare = nil, nil
	return w.err
}
