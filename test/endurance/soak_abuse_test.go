package endurance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Clients that do not behave. What they are answered, if they wait for it, must be
// as right as what others are.

// misbehave counts something that is more than a request.
func (c *soakClient) misbehave(kind string, do func() error) {
	begun := time.Now()
	err := do()
	c.tally.done(kind, time.Since(begun), err)
}

// slowly calls step for each part of a text, with a pause between any two that
// lasts until the load ends.
func (c *soakClient) slowly(text string, part int, pause time.Duration, step func(string) error) error {
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for len(text) > 0 {
		n := min(part, len(text))
		if err := step(text[:n]); err != nil {
			return err
		}
		text = text[n:]
		select {
		case <-ticks.C:
		case <-c.ctx.Done():
			part = len(text)
		}
	}
	return nil
}

// raw sends a request with its own hands and checks the answer.
func (c *soakClient) raw(request string, right []int, send func(conn net.Conn, request string) error) error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := send(conn, request); err != nil {
		return err
	}
	return c.answered(bufio.NewReaderSize(conn, 4096), right)
}

func (c *soakClient) answered(r *bufio.Reader, right []int) error {
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	a := soakAnswer{status: response.StatusCode}
	if a.text, err = io.ReadAll(response.Body); err != nil {
		return err
	}
	return a.check(response.Header.Get("Content-Type"), right)
}

func (c *soakClient) head(method, path string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: soak\r\nAuthorization: Bearer %s\r\n", method, path, c.token)
}

// beSlow sends headers and bodies byte by byte and reads answers so, too.
func beSlow(c *soakClient) (again, leave func()) {
	return func() {
		switch c.random.IntN(3) {
		case 0:
			c.misbehave("abuse: slow headers", func() error {
				return c.raw(c.head("GET", "/api/restaurants")+"Connection: close\r\n\r\n", []int{http.StatusOK}, func(conn net.Conn, request string) error {
					return c.slowly(request, 3, 40*time.Millisecond, func(part string) error { _, err := io.WriteString(conn, part); return err })
				})
			})
		case 1:
			body := fmt.Sprintf(`{"data": {"name": "x", "story": %q}}`, someWords(c.random, 100)) // a name that is too short
			c.misbehave("abuse: slow body", func() error {
				head := c.head("POST", "/api/restaurants") + fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
				return c.raw(head, []int{http.StatusBadRequest}, func(conn net.Conn, request string) error {
					if _, err := io.WriteString(conn, request); err != nil {
						return err
					}
					return c.slowly(body, 10, 40*time.Millisecond, func(part string) error { _, err := io.WriteString(conn, part); return err })
				})
			})
		case 2:
			c.misbehave("abuse: slow reading", c.readSlowly)
		}
	}, func() {}
}

// readSlowly asks for megabytes and takes its time to read them.
func (c *soakClient) readSlowly() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	path := "/api/restaurants?populate[chef][populate][restaurants][populate]=categories&pagination[pageSize]=100"
	if _, err := io.WriteString(conn, c.head("GET", path)+"Connection: close\r\n\r\n"); err != nil {
		return err
	}
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	return c.answered(bufio.NewReaderSize(&slowReader{conn, ticks.C, c.ctx.Done()}, 32<<10), []int{http.StatusOK})
}

// slowReader waits before each read, until done.
type slowReader struct {
	r     io.Reader
	ticks <-chan time.Time
	done  <-chan struct{}
}

func (s *slowReader) Read(p []byte) (int, error) {
	select {
	case <-s.ticks:
	case <-s.done:
	}
	return s.r.Read(p)
}

// dawdle never comes to the end of its headers, and is cut off for it.
func dawdle(c *soakClient) (again, leave func()) {
	return func() {
		c.misbehave("abuse: endless headers", func() error {
			conn, err := c.dial()
			if err != nil {
				return err
			}
			defer conn.Close()
			err = c.slowly(c.head("GET", "/")+strings.Repeat("X-More: and more\r\n", 1000), 2, 50*time.Millisecond, func(part string) error { _, err := io.WriteString(conn, part); return err })
			switch {
			case c.ctx.Err() != nil || hungUp(err):
				return nil
			case err == nil:
				return errors.New("headers were waited for without end")
			}
			return err
		})
	}, func() {}
}

func hungUp(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// hangUp closes connections at every moment: before, in and after the request, and
// in the middle of the answer.
func hangUp(c *soakClient) (again, leave func()) {
	return func() {
		c.misbehave("abuse: hung up", func() error {
			conn, err := c.dial()
			if err != nil {
				return err
			}
			defer conn.Close()
			request := c.head("GET", one(c.random, "/api/restaurants", "/api/restaurants?populate=*&pagination[pageSize]=100", "/api/chefs?populate[restaurants][populate]=*")) + "\r\n"
			if c.random.IntN(3) == 0 {
				request = c.head("POST", "/api/restaurants") + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n" + `{"data": {"name": "never`
			}
			if c.random.IntN(3) == 0 {
				request = request[:c.random.IntN(len(request))]
			}
			if _, err := io.WriteString(conn, request); err != nil {
				return err
			}
			if strings.HasSuffix(request, "\r\n\r\n") && c.random.IntN(2) == 0 {
				_, err = conn.Read(make([]byte, 1+c.random.IntN(5000)))
			}
			if c.random.IntN(2) == 0 {
				conn.SetLinger(0)
			}
			return err
		})
	}, func() {}
}

// sendGarbage sends what is no HTTP, or nearly.
func sendGarbage(c *soakClient) (again, leave func()) {
	refused := []int{400, 401, 403, 404, 405, 408, 411, 413, 414, 417, 431, 501, 505}
	wild := []string{
		"\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "G\x00T / HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX: \x00\x01\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"POST /api/restaurants HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"POST /api/restaurants HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"POST /api/restaurants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
		"POST /api/restaurants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nzz\r\n",
		"GET /" + strings.Repeat("a", 70_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 2<<20) + "\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "OPTIONS * HTTP/1.0\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
	}
	return func() {
		text := one(c.random, wild...)
		if c.random.IntN(2) == 0 {
			noise := make([]byte, 1+c.random.IntN(2000))
			for i := range noise {
				noise[i] = byte(c.random.Uint32())
			}
			text = string(noise) + "\r\n\r\n"
		}
		c.misbehave("abuse: garbage", func() error { return c.throw(text, append(slices.Clone(refused), http.StatusOK, http.StatusNoContent)) })
	}, func() {}
}

// throw sends a text and reads what comes back, if anything does: being hung up on
// is a right answer to garbage.
func (c *soakClient) throw(text string, right []int) error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil && !hungUp(err) {
		return err
	}
	conn.CloseWrite()
	if err := c.answered(bufio.NewReader(conn), right); err != nil && !hungUp(err) {
		return fmt.Errorf("%.60q: %w", text, err)
	}
	return nil
}
