package kits

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"tabulariumtest"
)

var background = context.Background()

// service opens the account of a branch by the unmodified SDK.
func service(t *testing.T, branch *tabulariumtest.Branch) *aztables.ServiceClient {
	t.Helper()
	client, err := aztables.NewServiceClientFromConnectionString(branch.ConnectionString, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newTable(t *testing.T, client *aztables.ServiceClient, name string) *aztables.Client {
	t.Helper()
	if _, err := client.CreateTable(background, name, nil); err != nil {
		t.Fatal(err)
	}
	return client.NewClient(name)
}

const book = `{"PartitionKey":"math","RowKey":"1","Title":"Notes"}`

func TestParallelTestsHaveAccountsAndReasonsOfTheirOwn(t *testing.T) {
	for number := range 64 {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			branch := tabulariumtest.NewBranch(t)
			table := newTable(t, service(t, branch), fmt.Sprintf("Books%d", number))
			if _, err := table.AddEntity(background, []byte(book), nil); err != nil {
				t.Fatal(err)
			}
			if _, err := table.AddEntity(background, []byte(book), nil); err == nil {
				t.Fatal("the second insert was accepted")
			}
			reasons := branch.Explain()
			if strings.Count(reasons, "POST /Books") != 1 || !strings.Contains(reasons, fmt.Sprintf("POST /Books%d", number)) {
				t.Error(reasons)
			}
		})
	}
}

func TestABranchStartsFromASnapshot(t *testing.T) {
	source := tabulariumtest.NewBranch(t)
	newTable(t, service(t, source), "Books")
	source.Server.Snapshot(t, "one-table", source.Account)
	branch := tabulariumtest.NewBranch(t, "one-table")
	page, err := service(t, branch).NewListTablesPager(nil).NextPage(background)
	if err != nil || len(page.Tables) != 1 {
		t.Fatal(err, page.Tables)
	}
}

func TestAFaultIsRetriedByTheSDKAndExplained(t *testing.T) {
	branch := tabulariumtest.NewBranch(t)
	table := newTable(t, service(t, branch), "Books")
	branch.Fault(t, "op=insert fault=ServerBusy times=1")
	if _, err := table.AddEntity(background, []byte(book), nil); err != nil {
		t.Fatal(err)
	}
	if reasons := branch.Explain(); !strings.Contains(reasons, "503 ServerBusy: POST /Books") {
		t.Fatal(reasons)
	}
}

func TestABranchLeavesTheSourcesOfItsCallerAlone(t *testing.T) {
	sources := []string{"base", "other"}
	tabulariumtest.NewBranch(t, sources[:0]...)
	if sources[0] != "base" {
		t.Error(sources)
	}
}

// TestPanics runs itself in a process of its own, since a panic ends that.
func TestPanics(t *testing.T) {
	if os.Getenv("KIT_PANIC") != "" {
		table := service(t, tabulariumtest.NewBranch(t)).NewClient("Books")
		_, err := table.AddEntity(background, []byte(book), nil)
		panic(err)
	}
	command := exec.Command(os.Args[0], "-test.run", "^TestPanics$")
	command.Env = append(os.Environ(), "KIT_PANIC=1")
	output, _ := command.CombinedOutput()
	if !strings.Contains(string(output), "404 TableNotFound: POST /Books") {
		t.Error(string(output))
	}
}

// TestUpdatesWithAnOldETag fails if it is asked for: its output is compared with that of the other kits.
func TestUpdatesWithAnOldETag(t *testing.T) {
	arguments, isWanted := os.LookupEnv("KIT_ARGUMENTS")
	if !isWanted {
		t.Skip("it fails on purpose")
	}
	tabulariumtest.Arguments = strings.Fields(arguments)
	table := newTable(t, service(t, tabulariumtest.NewBranch(t)), "Books")
	added, err := table.AddEntity(background, []byte(book), nil)
	if err != nil {
		t.Fatal(err)
	}
	old := &aztables.UpdateEntityOptions{IfMatch: &added.ETag, UpdateMode: aztables.UpdateModeMerge}
	if _, err := table.UpdateEntity(background, []byte(book), old); err != nil {
		t.Fatal(err)
	}
	filter := "PartitionKey eq 'math' or PartitionKey eq 'art'"
	if _, err := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}).NextPage(background); err != nil {
		t.Fatal(err)
	}
	if _, err := table.UpdateEntity(background, []byte(book), old); err != nil {
		t.Fatal(err)
	}
}

// TestEnds writes the address of the server to a file, and ends the process as it is asked to.
func TestEnds(t *testing.T) {
	file := os.Getenv("KIT_FILE")
	if file == "" {
		t.Skip("it ends the process")
	}
	branch := tabulariumtest.NewBranch(t)
	if err := os.WriteFile(file, []byte(branch.Server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	switch os.Getenv("KIT_END") {
	case "exit":
		os.Exit(3)
	case "exception":
		panic("as asked")
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}
