package clients

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// step runs one step on the way to Cosmos DB, and reports it. There is no list of these steps in checks.md.
func step(t *testing.T, title string, run func(t *testing.T)) {
	t.Helper()
	t.Run(title, func(t *testing.T) {
		defer func() {
			result, why := "held", ""
			if t.Failed() {
				result, why = "failed", "see the output of the test"
			}
			line, err := json.Marshal(map[string]any{
				"client": "aztables", "version": version(), "framework": true, "check": title, "result": result, "why": why,
			})
			must(err)
			_, err = results.Write(append(line, '\n'))
			must(err)
		}()
		run(t)
	})
}

func written(t *testing.T, properties map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(properties)
	ok(t, err)
	return text
}

// TestCosmos uses a URL with localhost and 8902, which the package takes for one of Cosmos DB.
func TestCosmos(t *testing.T) {
	connection := os.Getenv("COSMOS_TABLE_CONNECTION_STRING_8902")
	service, err := aztables.NewServiceClientFromConnectionString(connection, options(access{}))
	ok(t, err)
	table := service.NewClient("GoSmoke")
	key := func(row string, more ...any) map[string]any {
		made := map[string]any{"PartitionKey": "p", "RowKey": row}
		for at := 0; at < len(more); at += 2 {
			made[more[at].(string)] = more[at+1]
		}
		return made
	}
	rejectedAs := func(t *testing.T, err error, status int, code string) {
		t.Helper()
		rejected(t, asRejection(err), status, code)
	}

	step(t, "creates a table, and is told that it exists", func(t *testing.T) {
		_, err := table.CreateTable(ctx, nil)
		ok(t, err)
		_, err = table.CreateTable(ctx, nil)
		rejectedAs(t, err, 409, "TableAlreadyExists")
	})
	step(t, "lists entities in the order of insertion, page by page", func(t *testing.T) {
		for _, row := range []string{"3", "10", "1", "2"} {
			_, err := table.AddEntity(ctx, written(t, key(row, "N", len(row))), nil)
			ok(t, err)
		}
		var pages []string
		pager := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Top: to.Ptr(int32(3))})
		for pager.More() {
			page, err := pager.NextPage(ctx)
			ok(t, err)
			var rows []string
			for _, text := range page.Entities {
				var one map[string]any
				ok(t, json.Unmarshal(text, &one))
				rows = append(rows, one["RowKey"].(string))
			}
			pages = append(pages, strings.Join(rows, " "))
		}
		if got := strings.Join(pages, "; "); got != "3 10 1; 2" {
			t.Fatal(got)
		}
	})
	step(t, "tunnels a merge through POST, under a tag", func(t *testing.T) {
		found, err := table.GetEntity(ctx, "p", "1", nil)
		ok(t, err)
		first := found.ETag
		update := aztables.UpdateEntityOptions{IfMatch: &first, UpdateMode: aztables.UpdateModeMerge}
		_, err = table.UpdateEntity(ctx, written(t, key("1", "Text", "Ä 'q' 😀")), &update)
		ok(t, err)
		found, err = table.GetEntity(ctx, "p", "1", nil)
		ok(t, err)
		var one map[string]any
		ok(t, json.Unmarshal(found.Value, &one))
		if one["N"] != 1.0 || one["Text"] != "Ä 'q' 😀" {
			t.Fatal(one)
		}
		_, err = table.UpdateEntity(ctx, written(t, key("1", "A", 1)), &update)
		rejectedAs(t, err, 412, "UpdateConditionNotSatisfied")
	})
	step(t, "commits a transaction or nothing, and finds the position of the fault", func(t *testing.T) {
		act := func(kind aztables.TransactionType, row string) aztables.TransactionAction {
			return aztables.TransactionAction{ActionType: kind, Entity: written(t, key(row)), IfMatch: to.Ptr(azcore.ETagAny)}
		}
		_, err := table.SubmitTransaction(ctx, []aztables.TransactionAction{
			act(aztables.TransactionTypeAdd, "new"), act(aztables.TransactionTypeUpdateMerge, "1"),
			act(aztables.TransactionTypeInsertReplace, "2"), act(aztables.TransactionTypeDelete, "3"),
		}, nil)
		ok(t, err)
		_, err = table.SubmitTransaction(ctx, []aztables.TransactionAction{
			act(aztables.TransactionTypeAdd, "other"), act(aztables.TransactionTypeAdd, "new"),
		}, nil)
		rejectedAs(t, err, 409, "EntityAlreadyExists")
		if got := asRejection(err).(rejection); got.index != 1 {
			t.Fatal(got)
		}
		_, err = table.GetEntity(ctx, "p", "other", nil)
		rejectedAs(t, err, 404, "ResourceNotFound")
	})
	step(t, "is told that there are no service properties", func(t *testing.T) {
		_, err := service.GetProperties(ctx, nil)
		rejectedAs(t, err, 405, "MethodNotAllowed")
	})
}
