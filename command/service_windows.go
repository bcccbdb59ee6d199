package command

import (
	"context"
	"io"
	"strings"
	"time"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
)

// start runs a command line: as a service, if the service manager has started it.
func start(c commandLine) int {
	if is, err := svc.IsWindowsService(); err != nil || !is {
		return asProcess(c)
	}
	log, err := eventlog.Open("Quire")
	if err != nil {
		return exitFailed
	}
	defer log.Close()
	if err := svc.Run("", service{c, log}); err != nil { // a process with one service need not name it
		log.Error(eventID, err.Error())
		return exitFailed
	}
	return exitDone
}

// service is a command line that stops when the service manager says so. It ignores signals,
// because a service gets SIGTERM whenever somebody signs out.
//
// Standard error goes to the event log. Standard output is discarded: every user of the machine
// can read the event log, and the output may contain a link that creates an account.
type service struct {
	command commandLine
	log     *eventlog.Log
}

// stopTime is how long the service manager waits for a stop. Requests have 30 seconds to finish.
const stopTime = 45 * time.Second

// Execute runs the command line, and reports its state to the service manager.
func (s service) Execute(_ []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (own bool, status uint32) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan int, 1)
	go func() { ended <- s.command(ctx, io.Discard, events{s.log}) }()
	state := svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	changes <- state
	for {
		select {
		case status := <-ended:
			return status != exitDone, uint32(status)
		case r := <-requests:
			if r.Cmd == svc.Stop || r.Cmd == svc.Shutdown {
				state = svc.Status{State: svc.StopPending, WaitHint: uint32(stopTime.Milliseconds())}
				stop()
			}
			changes <- state
		}
	}
}

// events writes each line as an event.
type events struct{ log *eventlog.Log }

const (
	eventID      = 1
	longestEvent = 31_000 // bytes; the event log takes no more than 31,839 characters
)

func (e events) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		line = strings.ToValidUTF8(line[:min(len(line), longestEvent)], "")
		report := e.log.Info
		switch {
		case strings.HasPrefix(line, "quire: "), strings.Contains(line, `"level":"ERROR"`):
			report = e.log.Error
		case strings.Contains(line, `"level":"WARN"`):
			report = e.log.Warning
		}
		if err := report(eventID, strings.TrimSpace(line)); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}
