package clients

import (
	"fmt"
	"strings"
	"testing"
)

const doubleWhole = "type.double-whole"

func TestValues(t *testing.T) {
	for id := range cases.Values {
		check(t, id, func(t *testing.T) {
			if id == doubleWhole {
				cannot(t, "the client reads numbers as floats and writes them again, so 3.0 becomes 3")
			}
			table, wanted := newTable(t), valueOf(id)
			insert(t, table, entity{partition: "p", row: "r", properties: properties{"V": wanted}})
			found, err := client.get(table, "p", "r")
			ok(t, err)
			if !same(wanted, found.properties["V"]) {
				t.Fatal(found)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	for id, raw := range cases.Keys {
		check(t, id, func(t *testing.T) {
			table, key := newTable(t), expand(raw)
			insert(t, table, with(key, key, "A", 1))
			found, err := client.get(table, key, key)
			if _, isRejection := err.(rejection); err != nil && !isRejection {
				cannot(t, "the client rejects it: "+err.Error())
			}
			ok(t, err)
			if found.partition != key || found.row != key {
				t.Fatal(found)
			}
			_, err = client.update(table, with(key, key, "B", 2), merge, "")
			ok(t, err)
			quoted := strings.ReplaceAll(key, "'", "''")
			rows, err := client.list(table, fmt.Sprintf("PartitionKey eq '%s' and RowKey eq '%s'", quoted, quoted))
			ok(t, err)
			if len(rows) != 1 || rows[0].properties["A"] != number(1) || rows[0].properties["B"] != number(2) {
				t.Fatal(rows)
			}
			ok(t, client.remove(table, key, key, ""))
			rowsAre(t, client, table, "")
		})
	}
}

func TestFilters(t *testing.T) {
	table := newTable(t)
	for _, row := range cases.Rows {
		e := keys(row[0], row[1])
		for at, name := range columns {
			e.properties[name] = value{cases.Columns[name], row[at+2]}
		}
		insert(t, table, e)
	}
	for id, one := range cases.Filters {
		check(t, id, func(t *testing.T) {
			rows, err := client.list(table, one[0])
			ok(t, err)
			var found []string
			for _, row := range rows {
				found = append(found, row.partition+row.row)
			}
			if strings.Join(found, " ") != one[1] {
				t.Fatalf("expected %s, got %v", one[1], found)
			}
		})
	}
	check(t, "filter.invalid", func(t *testing.T) {
		_, err := client.list(table, "Int eq")
		rejected(t, err, 400, "InvalidInput")
	})
	check(t, "filter.select", func(t *testing.T) {
		pages, _, err := client.pages(table, query{filter: "PartitionKey eq 'a' and RowKey eq '1'", selected: "Int"}, 0)
		ok(t, err)
		if found := pages[0][0].properties; len(found) != 1 || found["Int"] != number(-5) {
			t.Fatal(pages)
		}
	})
}

func TestPages(t *testing.T) {
	table := newTable(t)
	for start := 0; start < 2050; start += 100 {
		ok(t, client.transaction(table, inserts("p", "%05d", start, min(start+100, 2050))))
	}
	sizes := func(t *testing.T, q query) string {
		pages, _, err := client.pages(table, q, 0)
		ok(t, err)
		var found []int
		for _, page := range pages {
			found = append(found, len(page))
		}
		return fmt.Sprint(found)
	}
	check(t, "page.default", func(t *testing.T) {
		if found := sizes(t, query{}); found != "[1000 1000 50]" {
			t.Fatal(found)
		}
	})
	check(t, "page.all", func(t *testing.T) {
		rows, err := client.list(table, "")
		ok(t, err)
		for at, row := range rows {
			if row.row != fmt.Sprintf("%05d", at) {
				t.Fatal(at, row)
			}
		}
		if len(rows) != 2050 {
			t.Fatal(len(rows))
		}
	})
	check(t, "page.size", func(t *testing.T) {
		if found := sizes(t, query{size: 700}); found != "[700 700 650]" {
			t.Fatal(found)
		}
	})
	check(t, "page.resume", func(t *testing.T) {
		_, last, err := client.pages(table, query{size: 300}, 1)
		ok(t, err)
		pages, _, err := open(access{}).pages(table, query{size: 2, from: &last}, 1)
		ok(t, err)
		if found := rowsOf(pages[0]); found != "00300 00301" {
			t.Fatal(found)
		}
	})
	check(t, "page.filter", func(t *testing.T) {
		rows, err := client.list(table, "N eq 3 or N eq 2049")
		ok(t, err)
		if found := rowsOf(rows); found != "00003 02049" {
			t.Fatal(found)
		}
	})
	check(t, "page.cancel", func(t *testing.T) {
		for range 3 {
			pages, _, err := client.pages(table, query{}, 1)
			ok(t, err)
			if pages[0][0].row != "00000" {
				t.Fatal(pages[0][0])
			}
		}
		_, err := client.get(table, "p", "00007")
		ok(t, err)
	})
	check(t, "page.empty", func(t *testing.T) {
		rows, err := client.list(table, "N eq -1")
		ok(t, err)
		if len(rows) != 0 {
			t.Fatal(rows)
		}
	})
}
