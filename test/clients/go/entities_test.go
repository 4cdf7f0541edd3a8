package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const (
	merge   = aztables.UpdateModeMerge
	replace = aztables.UpdateModeReplace
)

func insert(t *testing.T, table string, e entity) string {
	t.Helper()
	tag, err := client.insert(table, e)
	ok(t, err)
	return tag
}

// numbersAre compares the numbers of the entity p, r with a text such as "A=1 B=3".
func numbersAre(t *testing.T, table, wanted string) {
	t.Helper()
	found, err := client.get(table, "p", "r")
	ok(t, err)
	var got []string
	for _, name := range []string{"A", "B"} {
		if one, there := found.properties[name]; there {
			got = append(got, name+"="+one.text)
		}
	}
	if strings.Join(got, " ") != wanted {
		t.Fatalf("expected %s, got %v", wanted, found)
	}
}

func both() entity {
	return entity{partition: "p", row: "r", properties: properties{"A": number(1), "B": number(2)}}
}

func many(count int) entity {
	e := keys("p", "r")
	for at := range count {
		e.properties[fmt.Sprintf("P%d", at)] = number(at)
	}
	return e
}

func TestEntities(t *testing.T) {
	check(t, "entity.insert", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, entity{partition: "p", row: "r", properties: properties{"A": number(1), "B": {"String", "two"}}})
		found, err := client.get(table, "p", "r")
		ok(t, err)
		if found.partition != "p" || found.row != "r" || found.properties["A"] != number(1) || found.properties["B"].text != "two" {
			t.Fatal(found)
		}
	})
	check(t, "entity.insert-twice", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, both())
		_, err := client.insert(table, both())
		rejected(t, err, 409, "EntityAlreadyExists")
	})
	check(t, "entity.get-missing", func(t *testing.T) {
		_, err := client.get(newTable(t), "p", "r")
		rejected(t, err, 404, "ResourceNotFound")
	})
	check(t, "entity.get-select", func(t *testing.T) { cannot(t, "GetEntity has no selection") })
	for id, mode := range map[string]aztables.UpdateMode{"entity.replace": replace, "entity.merge": merge} {
		check(t, id, func(t *testing.T) {
			table := newTable(t)
			insert(t, table, both())
			_, err := client.update(table, with("p", "r", "B", 3), mode, "")
			ok(t, err)
			numbersAre(t, table, map[aztables.UpdateMode]string{replace: "B=3", merge: "A=1 B=3"}[mode])
		})
	}
	for id, mode := range map[string]aztables.UpdateMode{"entity.replace-missing": replace, "entity.merge-missing": merge} {
		check(t, id, func(t *testing.T) {
			_, err := client.update(newTable(t), both(), mode, "")
			rejected(t, err, 404, "ResourceNotFound")
		})
	}
	upserts := []struct {
		id     string
		mode   aztables.UpdateMode
		before bool
		after  string
	}{
		{"entity.upsert-replace-new", replace, false, "B=3"},
		{"entity.upsert-replace-old", replace, true, "B=3"},
		{"entity.upsert-merge-new", merge, false, "B=3"},
		{"entity.upsert-merge-old", merge, true, "A=1 B=3"},
	}
	for _, one := range upserts {
		check(t, one.id, func(t *testing.T) {
			table := newTable(t)
			if one.before {
				insert(t, table, with("p", "r", "A", 1))
			}
			_, err := client.upsert(table, with("p", "r", "B", 3), one.mode)
			ok(t, err)
			numbersAre(t, table, one.after)
		})
	}
	check(t, "entity.delete", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, both())
		ok(t, client.remove(table, "p", "r", ""))
		_, err := client.get(table, "p", "r")
		rejected(t, err, 404, "ResourceNotFound")
	})
	check(t, "entity.delete-missing", func(t *testing.T) {
		rejected(t, client.remove(newTable(t), "p", "r", ""), 404, "ResourceNotFound")
	})
	check(t, "entity.timestamp", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, both())
		found, err := client.get(table, "p", "r")
		ok(t, err)
		if time.Since(found.timestamp).Abs() > time.Hour {
			t.Fatal(found.timestamp)
		}
	})
	check(t, "entity.no-properties", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, keys("p", "r"))
		numbersAre(t, table, "")
	})
	check(t, "entity.many-properties", func(t *testing.T) {
		table := newTable(t)
		insert(t, table, many(252))
		found, err := client.get(table, "p", "r")
		ok(t, err)
		if len(found.properties) != 252 || found.properties["P251"] != number(251) {
			t.Fatal(found)
		}
	})
	long := many(17)
	for name := range long.properties {
		long.properties[name] = value{"String", strings.Repeat("x", 32000)}
	}
	rejections := []struct {
		id, code string
		entity
	}{
		{"entity.too-many-properties", "TooManyProperties", many(253)},
		{"entity.too-large", "EntityTooLarge", long},
		{"entity.large-property", "PropertyValueTooLarge", entity{"p", "r", properties{"A": {"String", strings.Repeat("x", 32769)}}, "", time.Time{}}},
		{"entity.property-name", "PropertyNameInvalid", with("p", "r", "a-b", 1)},
		{"entity.long-key", "", keys(strings.Repeat("p", 513), "r")},
	}
	for _, one := range rejections {
		check(t, one.id, func(t *testing.T) {
			_, err := client.insert(newTable(t), one.entity)
			rejected(t, err, 400, one.code)
		})
	}
}

func TestTags(t *testing.T) {
	check(t, "tag.insert", func(t *testing.T) {
		table := newTable(t)
		tag := insert(t, table, both())
		if found, err := client.get(table, "p", "r"); err != nil || tag == "" || found.tag != tag {
			t.Fatal(tag, found, err)
		}
	})
	check(t, "tag.changes", func(t *testing.T) {
		table := newTable(t)
		tags := map[string]bool{insert(t, table, both()): true}
		for _, mode := range []aztables.UpdateMode{replace, merge} {
			tag, err := client.update(table, both(), mode, "")
			ok(t, err)
			tags[tag] = true
		}
		tag, err := client.upsert(table, both(), replace)
		ok(t, err)
		tags[tag] = true
		if len(tags) != 4 {
			t.Fatal(tags)
		}
	})
	current := map[string]aztables.UpdateMode{"tag.replace": replace, "tag.merge": merge}
	for id, mode := range current {
		check(t, id, func(t *testing.T) {
			table := newTable(t)
			_, err := client.update(table, with("p", "r", "A", 2), mode, insert(t, table, with("p", "r", "A", 1)))
			ok(t, err)
			numbersAre(t, table, "A=2")
		})
	}
	check(t, "tag.delete", func(t *testing.T) {
		table := newTable(t)
		ok(t, client.remove(table, "p", "r", insert(t, table, both())))
		rowsAre(t, client, table, "")
	})
	stale := func(t *testing.T) (table, tag string) {
		table = newTable(t)
		tag = insert(t, table, both())
		_, err := client.update(table, both(), replace, "")
		ok(t, err)
		return table, tag
	}
	old := map[string]aztables.UpdateMode{"tag.stale-replace": replace, "tag.stale-merge": merge}
	for id, mode := range old {
		check(t, id, func(t *testing.T) {
			table, tag := stale(t)
			_, err := client.update(table, both(), mode, tag)
			rejected(t, err, 412, "UpdateConditionNotSatisfied")
		})
	}
	check(t, "tag.stale-delete", func(t *testing.T) {
		table, tag := stale(t)
		rejected(t, client.remove(table, "p", "r", tag), 412, "UpdateConditionNotSatisfied")
	})
}
