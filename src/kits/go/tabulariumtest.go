// Package tabulariumtest gives each test an account of its own on a server for Azure Table Storage. The first branch starts the server,
// which ends with the test binary, however that ends. A failed test logs why its requests were rejected.
package tabulariumtest

import (
	"io"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Program is the server: a binary, or a main.js that Node.js runs. By default it is looked for. Set it before the first branch.
var Program string

// Arguments are more options of `tabularium start`, such as `--seed people.csv`.
var Arguments []string

// Server is the server of a test binary: one that it started, or the one that TABULARIUM_URL names.
type Server struct {
	// URL is the address, such as http://127.0.0.1:10002.
	URL string
	// ConnectionString is that of the first account. Tests that run in parallel take one of a branch.
	ConnectionString string
	token            string
	// input keeps the server running: it ends when this pipe is closed, also by the garbage collector.
	input io.Closer
}

// Branch is an account of its own for one test.
type Branch struct {
	Server *Server `json:"-"`
	// Account is the name, and ConnectionString is for every SDK.
	Account, ConnectionString string
}

var shared = sync.OnceValues(openServer)

// Shared returns the server of this test binary. The first call starts it.
func Shared(t testing.TB) *Server {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// NewBranch creates an account for a test: empty, or a copy of a snapshot or of another account. It is deleted after the test, which
// logs the reasons of its rejected requests if it has failed.
func NewBranch(t testing.TB, from ...string) *Branch {
	t.Helper()
	branch := &Branch{Server: Shared(t)}
	source := "empty"
	if len(from) > 0 {
		source = from[0]
	}
	branch.Server.do(t, "POST", "branches", body{"from": source, "mark": t.Name()}, branch)
	t.Cleanup(func() {
		if t.Failed() || isPanicking() {
			if text := branch.Explain(); text != "" {
				t.Log("\n" + text)
			}
		}
		if err := branch.Server.ask("DELETE", "branches/"+branch.Account, nil, nil); err != nil && !isMissing(err) {
			t.Log(err)
		}
	})
	return branch
}

// isPanicking says whether a panic runs the cleanup of a test, which has not failed yet then.
func isPanicking() bool {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(0, counters)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" || !more {
			return more
		}
	}
}

// Explain says why requests of this branch were rejected, and which of its queries are costly. It is empty if there is nothing to say.
func (branch *Branch) Explain() string {
	var text string
	if err := branch.Server.ask("GET", "branches/"+branch.Account+"/report", nil, &text); err != nil {
		// The failure of the test itself counts more.
		return "Tabularium cannot explain this test: " + err.Error()
	}
	return text
}

// Fault makes requests to this branch fail, as "op=insert fault=ServerBusy times=2".
func (branch *Branch) Fault(t testing.TB, rule string) {
	t.Helper()
	branch.Server.do(t, "POST", "faults", body{"rules": rule + " account=" + branch.Account}, nil)
}

// Snapshot keeps the data of an account under a name from which branches start.
func (server *Server) Snapshot(t testing.TB, name, account string) {
	t.Helper()
	server.do(t, "PUT", "snapshots/"+name, body{"account": account}, nil)
}

// Reset empties all accounts but branches, or returns them to the snapshot `seed` if there is one.
func (server *Server) Reset(t testing.TB) {
	t.Helper()
	server.do(t, "POST", "reset", body{}, nil)
}

// AdvanceClock moves the clock of the server forward, for all accounts: tests that do this run alone.
func (server *Server) AdvanceClock(t testing.TB, by time.Duration) {
	t.Helper()
	server.do(t, "POST", "clock/advance", body{"by": by.String()}, nil)
}

func (server *Server) do(t testing.TB, method, path string, content body, answer any) {
	t.Helper()
	if err := server.ask(method, path, content, answer); err != nil {
		t.Fatal(err)
	}
}
