package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const (
	add           = aztables.TransactionTypeAdd
	updateMerge   = aztables.TransactionTypeUpdateMerge
	updateReplace = aztables.TransactionTypeUpdateReplace
	insertMerge   = aztables.TransactionTypeInsertMerge
	insertReplace = aztables.TransactionTypeInsertReplace
	deletion      = aztables.TransactionTypeDelete
)

func inserts(partition, format string, from, to int) []action {
	var actions []action
	for at := from; at < to; at++ {
		actions = append(actions, action{add, with(partition, fmt.Sprintf(format, at), "N", at), ""})
	}
	return actions
}

func TestTransactions(t *testing.T) {
	check(t, "batch.hundred", func(t *testing.T) {
		table := newTable(t)
		ok(t, client.transaction(table, inserts("p", "%03d", 0, 100)))
		rows, err := client.list(table, "")
		ok(t, err)
		if len(rows) != 100 || rows[99].row != "099" {
			t.Fatal(rows)
		}
	})
	check(t, "batch.mixed", func(t *testing.T) {
		table := newTable(t)
		for _, row := range []string{"merge", "replace", "delete"} {
			insert(t, table, with("p", row, "A", 1))
		}
		ok(t, client.transaction(table, []action{
			{add, with("p", "insert", "B", 2), ""},
			{updateMerge, with("p", "merge", "B", 2), ""},
			{updateReplace, with("p", "replace", "B", 2), ""},
			{insertMerge, with("p", "upsert-merge", "B", 2), ""},
			{insertReplace, with("p", "upsert-replace", "B", 2), ""},
			{deletion, keys("p", "delete"), ""},
		}))
		rows, err := client.list(table, "")
		ok(t, err)
		var found []string
		for _, row := range rows {
			found = append(found, fmt.Sprint(row.row, len(row.properties)))
		}
		if strings.Join(found, " ") != "insert1 merge2 replace1 upsert-merge1 upsert-replace1" {
			t.Fatal(found)
		}
	})
	check(t, "batch.results", func(t *testing.T) { cannot(t, "TransactionResponse has no results") })
	check(t, "batch.index", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, keys("p", "001"))
		if got := rejected(t, client.transaction(table, inserts("p", "%03d", 0, 3)), 409, "EntityAlreadyExists"); got.index != 1 {
			t.Fatal(got)
		}
	})
	check(t, "batch.index-last", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, keys("p", "099"))
		if got := rejected(t, client.transaction(table, inserts("p", "%03d", 0, 100)), 409, "EntityAlreadyExists"); got.index != 99 {
			t.Fatal(got)
		}
	})
	check(t, "batch.atomic", func(t *testing.T) {
		table := newTable(t)
		actions := append(inserts("p", "%03d", 0, 2), action{updateReplace, keys("p", "missing"), "*"})
		rejected(t, client.transaction(table, actions), 404, "ResourceNotFound")
		rowsAre(t, client, table, "")
	})
	check(t, "batch.duplicate", func(t *testing.T) {
		twice := []action{{insertMerge, keys("p", "r"), ""}, {insertMerge, keys("p", "r"), ""}}
		rejected(t, client.transaction(newTable(t), twice), 400, "InvalidDuplicateRow")
	})
	check(t, "batch.too-many", func(t *testing.T) {
		rejected(t, client.transaction(newTable(t), inserts("p", "%03d", 0, 101)), 400, "")
	})
	check(t, "batch.partitions", func(t *testing.T) {
		actions := append(inserts("p", "%03d", 0, 1), inserts("q", "%03d", 0, 1)...)
		rejected(t, client.transaction(newTable(t), actions), 400, "")
	})
	check(t, "batch.after-failure", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, keys("p", "000"))
		rejected(t, client.transaction(table, inserts("p", "%03d", 0, 100)), 409, "")
		insert(t, table, keys("p", "after"))
		rowsAre(t, client, table, "000 after")
	})
	check(t, "batch.stale", func(t *testing.T) {
		table := newTable(t)
		old := insert(t, table, keys("p", "x"))
		_, err := client.update(table, with("p", "x", "A", 1), replace, "")
		ok(t, err)
		actions := append(inserts("p", "%03d", 0, 1), action{updateReplace, keys("p", "x"), old})
		if got := rejected(t, client.transaction(table, actions), 412, "UpdateConditionNotSatisfied"); got.index != 1 {
			t.Fatal(got)
		}
	})
	for id, key := range map[string]string{"batch.quote": "it's", "batch.unicode": "naïve 你好 😀"} {
		check(t, id, func(t *testing.T) {
			table := newTable(t)
			ok(t, client.transaction(table, []action{{add, with(key, key, "A", 1), ""}, {add, with(key, key+"2", "A", 1), ""}}))
			err := client.transaction(table, []action{{updateMerge, with(key, key, "B", 2), ""}, {deletion, keys(key, key+"2"), ""}})
			if got, isRejection := err.(rejection); isRejection && got.code == "InvalidInput" && id == "batch.quote" {
				cannot(t, "the client does not double the quote in a transaction")
			}
			ok(t, err)
			rows, err := client.list(table, "")
			ok(t, err)
			if len(rows) != 1 || rows[0].row != key || rows[0].properties["B"] != number(2) {
				t.Fatal(rows)
			}
		})
	}
	check(t, "batch.types", func(t *testing.T) {
		table := newTable(t)
		var actions []action
		for id := range cases.Values {
			if !strings.Contains(id, "long") && id != doubleWhole {
				actions = append(actions, action{add, entity{partition: "p", row: id, properties: properties{"V": valueOf(id)}}, ""})
			}
		}
		ok(t, client.transaction(table, actions))
		rows, err := client.list(table, "")
		ok(t, err)
		for _, row := range rows {
			if !same(valueOf(row.row), row.properties["V"]) {
				t.Error(row)
			}
		}
		if len(rows) != len(actions) {
			t.Fatal(len(rows))
		}
	})
	check(t, "batch.missing-table", func(t *testing.T) {
		rejected(t, client.transaction(newName(), inserts("p", "%03d", 0, 2)), 404, "TableNotFound")
	})
}
