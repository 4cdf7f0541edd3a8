package clients

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// value is a property: its type without "Edm.", and its text.
type value struct{ kind, text string }

type properties map[string]value

// entity is what a check writes and reads.
type entity struct {
	partition, row string
	properties     properties
	tag            string
	timestamp      time.Time
}

// rejection is the answer to a call that the service rejected. index is -1 if it names no operation of a transaction.
type rejection struct {
	status int
	code   string
	index  int
	text   string
}

func (r rejection) Error() string { return fmt.Sprintf("%d %s: %s", r.status, r.code, r.text) }

func number(n int) value { return value{"Int32", strconv.Itoa(n)} }

func keys(partition, row string) entity {
	return entity{partition: partition, row: row, properties: properties{}}
}

func with(partition, row, name string, n int) entity {
	return entity{partition: partition, row: row, properties: properties{name: number(n)}}
}

// cases is cases.json.
var cases struct {
	Keys    map[string]json.RawMessage
	Values  map[string][2]json.RawMessage
	Columns map[string]string
	Rows    [][]string
	Filters map[string][2]string
}

// columns are the names of the columns of cases.json, in the order of its rows.
var columns = []string{"Text", "Flag", "Int", "Big", "Real", "When", "Id", "Bytes"}

func expand(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var long struct {
		Repeat string
		Times  int
	}
	must(json.Unmarshal(raw, &long))
	return strings.Repeat(long.Repeat, long.Times)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func valueOf(id string) value {
	var kind string
	must(json.Unmarshal(cases.Values[id][0], &kind))
	return value{kind, expand(cases.Values[id][1])}
}

// same tells whether two properties have the same type and value.
func same(a, b value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case "Double":
		x, errX := strconv.ParseFloat(a.text, 64)
		y, errY := strconv.ParseFloat(b.text, 64)
		return errX == nil && errY == nil && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case "DateTime":
		x, errX := time.Parse(time.RFC3339Nano, a.text)
		y, errY := time.Parse(time.RFC3339Nano, b.text)
		return errX == nil && errY == nil && x.Equal(y)
	}
	return a.text == b.text
}

var tables atomic.Int32

func newName() string { return fmt.Sprintf("go%d", tables.Add(1)) }

func newTable(t *testing.T) string {
	t.Helper()
	name := newName()
	ok(t, client.createTable(name))
	t.Cleanup(func() { _ = client.deleteTable(name) })
	return name
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rejected expects a rejection, and skips the check if the client did not send the request.
func rejected(t *testing.T, err error, status int, code string) rejection {
	t.Helper()
	if err == nil {
		t.Fatalf("the call was answered, but %d %s was expected", status, code)
	}
	got, isRejection := err.(rejection)
	if !isRejection {
		cannot(t, "the client rejects it: "+err.Error())
	}
	if got.status != status || code != "" && got.code != code {
		t.Fatalf("expected %d %s, got %v", status, code, got)
	}
	return got
}

var reasons = map[string]string{}

// cannot ends a check that the client cannot express.
func cannot(t *testing.T, why string) {
	t.Helper()
	reasons[t.Name()] = why
	t.Skip(why)
}

var results *os.File

// check runs one check of checks.md and reports its result.
func check(t *testing.T, id string, run func(t *testing.T)) {
	t.Helper()
	t.Run(id, func(t *testing.T) {
		defer func() {
			result := "held"
			if t.Failed() {
				result = "failed"
			} else if t.Skipped() {
				result = "cannot"
			}
			line, err := json.Marshal(map[string]string{
				"client": "Go aztables", "version": version(), "check": id, "result": result, "why": reasons[t.Name()],
			})
			must(err)
			_, err = results.Write(append(line, '\n'))
			must(err)
		}()
		run(t)
	})
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if strings.HasSuffix(module.Path, "/aztables") {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "1.4.1"
}

func TestMain(m *testing.M) {
	text, err := os.ReadFile(os.Getenv("TABLES_CASES"))
	must(err)
	must(json.Unmarshal(text, &cases))
	results, err = os.OpenFile(os.Getenv("TABLES_RESULTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(err)
	client = open(access{})
	os.Exit(m.Run())
}
