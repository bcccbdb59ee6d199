//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// connection is a client that takes few resources of the machine.
type connection struct {
	net.Conn
	answers *bufio.Reader
	body    []byte
}

func dial(address string) (*connection, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c, answers: bufio.NewReaderSize(c, 64<<10)}, nil
}

// ask sends a request and returns the body of the response, which must be 200. It is valid
// until the next request.
func (c *connection) ask(request []byte) (body []byte, err error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	status, err := c.answers.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	refused := ""
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		refused = string(status)
	}
	size := -1
	for {
		line, err := c.answers.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if name, value, _ := strings.Cut(string(line), ":"); strings.EqualFold(name, "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
		if len(line) <= 2 {
			break
		}
	}
	if size < 0 {
		return nil, fmt.Errorf("%q is answered without a length", request)
	}
	c.body = append(c.body[:0], make([]byte, size)...)
	if _, err := io.ReadFull(c.answers, c.body); err != nil {
		return nil, err
	}
	if refused != "" {
		return nil, fmt.Errorf("%q is answered %q %s", request, refused, c.body)
	}
	return c.body, nil
}

// residentOf returns the resident memory of a process.
func residentOf(pid int) (int64, error) {
	fields, err := statOf(pid)
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(fields[21], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// processorOf returns the time that the processors have worked for a process.
func processorOf(pid int) (time.Duration, error) {
	fields, err := statOf(pid)
	if err != nil {
		return 0, err
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err // Linux counts in hundredths of seconds
}

// statOf returns what Linux says of a process, from its state on; see proc_pid_stat(5).
func statOf(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 22 {
		return nil, fmt.Errorf("process %d: %q", pid, stat)
	}
	return fields, nil
}
