package kits

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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

// TestFailsOnPurpose inserts an entity twice, if it is asked for: the reasons are compared with those of the other kits.
func TestFailsOnPurpose(t *testing.T) {
	if os.Getenv("FAIL_ON_PURPOSE") == "" {
		t.Skip("fails only on purpose")
	}
	branch := tabulariumtest.NewBranch(t)
	table := newTable(t, service(t, branch), "Books")
	table.AddEntity(background, []byte(book), nil)
	if _, err := table.AddEntity(background, []byte(book), nil); err != nil {
		t.Fatal("the entity was rejected")
	}
}

// TestEnds prints the address of the server and ends the process as it is asked to.
func TestEnds(t *testing.T) {
	how := os.Getenv("END_BY")
	if how == "" {
		t.Skip("ends only if it is asked to")
	}
	fmt.Println("server " + tabulariumtest.Shared(t).URL)
	switch how {
	case "exit":
		os.Exit(3)
	case "exception":
		panic("as asked")
	case "wait":
		time.Sleep(time.Minute)
	}
}
