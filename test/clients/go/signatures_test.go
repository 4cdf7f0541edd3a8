package clients

import (
	"net"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

type rights = aztables.SASSignatureValues

const mismatch = "AuthorizationPermissionMismatch"

// filled returns a table with the entities a, b and c, each with the row key r.
func filled(t *testing.T) string {
	t.Helper()
	table := newTable(t)
	for _, partition := range []string{"a", "b", "c"} {
		insert(t, table, with(partition, "r", "A", 1))
	}
	return table
}

// signed returns a client with a table signature. Its permissions are all if none are given.
func signed(table string, wanted rights) connection {
	wanted.TableName = table
	if wanted.Permissions == "" {
		wanted.Permissions = "raud"
	}
	return open(access{signature: sign(wanted)})
}

func partitionsAre(t *testing.T, c connection, table, wanted string) {
	t.Helper()
	rows, err := c.list(table, "")
	ok(t, err)
	var found []string
	for _, row := range rows {
		found = append(found, row.partition)
	}
	if strings.Join(found, " ") != wanted {
		t.Fatalf("expected %s, got %v", wanted, found)
	}
}

func TestTableSignatures(t *testing.T) {
	check(t, "sas.query", func(t *testing.T) {
		table := filled(t)
		one := signed(table, rights{Permissions: "r"})
		partitionsAre(t, one, table, "a b c")
		_, err := one.get(table, "a", "r")
		ok(t, err)
	})
	check(t, "sas.add", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{Permissions: "a"}).insert(table, keys("d", "r"))
		ok(t, err)
		partitionsAre(t, client, table, "a b c d")
	})
	check(t, "sas.update", func(t *testing.T) {
		table := filled(t)
		one := signed(table, rights{Permissions: "u"})
		_, err := one.update(table, with("a", "r", "A", 2), merge, "")
		ok(t, err)
		_, err = one.update(table, with("b", "r", "A", 2), replace, "")
		ok(t, err)
		rows, err := client.list(table, "A eq 2")
		ok(t, err)
		if len(rows) != 2 {
			t.Fatal(rows)
		}
	})
	check(t, "sas.delete", func(t *testing.T) {
		table := filled(t)
		ok(t, signed(table, rights{Permissions: "d"}).remove(table, "a", "r", ""))
		partitionsAre(t, client, table, "b c")
	})
	check(t, "sas.upsert", func(t *testing.T) {
		table := filled(t)
		one := signed(table, rights{Permissions: "au"})
		_, err := one.upsert(table, keys("d", "r"), merge)
		ok(t, err)
		_, err = one.upsert(table, keys("a", "r"), replace)
		ok(t, err)
		partitionsAre(t, client, table, "a b c d")
	})
	check(t, "sas.no-query", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{Permissions: "a"}).list(table, "")
		rejected(t, err, 403, mismatch)
	})
	check(t, "sas.no-add", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{Permissions: "r"}).insert(table, keys("d", "r"))
		rejected(t, err, 403, mismatch)
	})
	check(t, "sas.no-delete", func(t *testing.T) {
		table := filled(t)
		rejected(t, signed(table, rights{Permissions: "rau"}).remove(table, "a", "r", ""), 403, mismatch)
	})
	check(t, "sas.upsert-half", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{Permissions: "u"}).upsert(table, keys("a", "r"), merge)
		rejected(t, err, 403, mismatch)
	})
	check(t, "sas.transaction", func(t *testing.T) {
		table := filled(t)
		one := signed(table, rights{})
		ok(t, one.transaction(table, []action{{add, keys("a", "s"), ""}, {deletion, keys("a", "r"), ""}}))
		rowsAre(t, client, table, "s r r")
	})
	check(t, "sas.other-table", func(t *testing.T) {
		_, err := signed(filled(t), rights{}).list(newTable(t), "")
		rejected(t, err, 403, "")
	})
	check(t, "sas.expired", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{StartTime: inHours(-2), ExpiryTime: inHours(-1)}).list(table, "")
		rejected(t, err, 403, "AuthenticationFailed")
	})
	check(t, "sas.early", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{StartTime: inHours(1), ExpiryTime: inHours(2)}).list(table, "")
		rejected(t, err, 403, "AuthenticationFailed")
	})
	check(t, "sas.tampered", func(t *testing.T) {
		table := filled(t)
		text := sign(rights{TableName: table, Permissions: "r"})
		_, err := open(access{signature: strings.Replace(text, "sp=r", "sp=raud", 1)}).list(table, "")
		rejected(t, err, 403, "AuthenticationFailed")
	})
	inRange := rights{StartPartitionKey: "b", StartRowKey: "", EndPartitionKey: "c", EndRowKey: "z"}
	check(t, "sas.range-list", func(t *testing.T) {
		if !strings.Contains(sign(inRange), "spk=") {
			cannot(t, "the client signs a range of keys, but leaves it out of the address")
		}
		table := filled(t)
		partitionsAre(t, signed(table, inRange), table, "b c")
	})
	check(t, "sas.range-write", func(t *testing.T) {
		if !strings.Contains(sign(inRange), "spk=") {
			cannot(t, "the client signs a range of keys, but leaves it out of the address")
		}
		table := filled(t)
		_, err := signed(table, inRange).insert(table, keys("a", "new"))
		rejected(t, err, 403, "AuthorizationFailure")
	})
	from := func(start, end string) rights {
		return rights{IPRange: aztables.IPRange{Start: net.ParseIP(start), End: net.ParseIP(end)}}
	}
	check(t, "sas.address", func(t *testing.T) {
		table := filled(t)
		partitionsAre(t, signed(table, from("127.0.0.1", "127.0.0.9")), table, "a b c")
	})
	check(t, "sas.other-address", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, from("10.0.0.1", "10.0.0.9")).list(table, "")
		rejected(t, err, 403, "AuthorizationSourceIPMismatch")
	})
	check(t, "sas.https-only", func(t *testing.T) {
		table := filled(t)
		_, err := signed(table, rights{Protocol: aztables.SASProtocolHTTPS}).list(table, "")
		rejected(t, err, 403, "AuthorizationProtocolMismatch")
	})
}

func TestAccountSignatures(t *testing.T) {
	check(t, "sas.account", func(t *testing.T) {
		one, table := open(access{signature: signAccount("sco", "rwdlacu")}), newName()
		ok(t, one.createTable(table))
		pages, err := one.tablePages("TableName eq '"+table+"'", 0)
		ok(t, err)
		if len(pages[0]) != 1 {
			t.Fatal(pages)
		}
	})
	check(t, "sas.account-entities", func(t *testing.T) {
		table := filled(t)
		one := open(access{signature: signAccount("sco", "rwdlacu")})
		_, err := one.insert(table, keys("d", "r"))
		ok(t, err)
		partitionsAre(t, one, table, "a b c d")
	})
	check(t, "sas.account-no-type", func(t *testing.T) {
		_, err := open(access{signature: signAccount("s", "rwdlacu")}).list(filled(t), "")
		rejected(t, err, 403, "AuthorizationResourceTypeMismatch")
	})
	check(t, "sas.account-no-right", func(t *testing.T) {
		_, err := open(access{signature: signAccount("sco", "r")}).insert(filled(t), keys("d", "r"))
		rejected(t, err, 403, mismatch)
	})
}
