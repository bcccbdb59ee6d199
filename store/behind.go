package store

import "os"

// behind writes to a file in the background: it writes one buffer while its caller fills
// the next. Only one goroutine may use it at a time.
type behind struct {
	file     *os.File
	at       int64      // offset in the file of gathered
	gathered []byte     // what is not written yet
	spare    []byte     // the memory of the buffer before
	writing  chan error // nil if nothing is being written
	err      error      // the first error; nothing is written after it
}

// gatheredBytes is the size of one write.
const gatheredBytes = 1 << 20

// write adds b to the file.
func (w *behind) write(b []byte) {
	if len(w.gathered)+len(b) > gatheredBytes {
		w.start()
	}
	w.gathered = append(w.gathered, b...)
}

// goOn continues at another offset of the file.
func (w *behind) goOn(at int64) {
	w.start()
	w.at = at
}

// start begins to write the buffer, after the one before has been written.
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

// flush returns when everything is in the file. Its error is the first one.
func (w *behind) flush() error {
	w.start()
	w.wait()
	w.gathered, w.spare = nil, nil
	return w.err
}
