package clients

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func writeAndRead(t *testing.T, c connection) {
	t.Helper()
	table := newName()
	ok(t, c.createTable(table))
	_, err := c.insert(table, with("p", "r", "A", 1))
	ok(t, err)
	found, err := c.get(table, "p", "r")
	ok(t, err)
	if found.properties["A"] != number(1) {
		t.Fatal(found)
	}
}

func writeTogether(t *testing.T, c connection) {
	t.Helper()
	table := newName()
	ok(t, c.createTable(table))
	ok(t, c.transaction(table, []action{
		{aztables.TransactionTypeAdd, keys("p", "1"), ""}, {aztables.TransactionTypeAdd, keys("p", "2"), ""},
	}))
	rowsAre(t, c, table, "1 2")
}

func rowsAre(t *testing.T, c connection, table, wanted string) {
	t.Helper()
	found, err := c.list(table, "")
	ok(t, err)
	if rows := rowsOf(found); rows != wanted {
		t.Fatalf("expected %q, got %q", wanted, rows)
	}
}

func rowsOf(found []entity) string {
	var rows []string
	for _, one := range found {
		rows = append(rows, one.row)
	}
	return strings.Join(rows, " ")
}

func TestAccounts(t *testing.T) {
	check(t, "auth.shared-key", func(t *testing.T) { writeAndRead(t, client) })
	check(t, "auth.connection-string", func(t *testing.T) {
		writeAndRead(t, open(access{endpoint: "TABLES_CONNECTION_STRING"}))
	})
	check(t, "auth.wrong-key", func(t *testing.T) {
		_, err := open(access{key: wrongKey}).tablePages("", 0)
		rejected(t, err, 403, "AuthenticationFailed")
	})
	host := access{endpoint: "TABLES_HOST_ENDPOINT"}
	check(t, "auth.host-style", func(t *testing.T) { writeAndRead(t, open(host)) })
	check(t, "auth.host-style-transaction", func(t *testing.T) { writeTogether(t, open(host)) })
	secondary := open(access{endpoint: "TABLES_SECONDARY_ENDPOINT"})
	check(t, "auth.secondary-read", func(t *testing.T) {
		table := newTable(t)
		_, err := client.insert(table, keys("p", "r"))
		ok(t, err)
		rowsAre(t, secondary, table, "r")
	})
	check(t, "auth.secondary-write", func(t *testing.T) {
		_, err := secondary.insert(newTable(t), keys("p", "r"))
		rejected(t, err, 403, "InsufficientAccountPermissions")
	})
	https := access{endpoint: "TABLES_HTTPS_ENDPOINT"}
	check(t, "auth.https", func(t *testing.T) { writeAndRead(t, open(https)) })
	check(t, "auth.https-transaction", func(t *testing.T) { writeTogether(t, open(https)) })
	check(t, "auth.https-untrusted", func(t *testing.T) {
		_, err := open(access{endpoint: "TABLES_HTTPS_ENDPOINT", untrusted: true}).tablePages("", 0)
		if err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Fatal(err)
		}
	})
	bearer := access{endpoint: "TABLES_HTTPS_ENDPOINT", token: os.Getenv("TABLES_TOKEN")}
	check(t, "auth.bearer", func(t *testing.T) { writeAndRead(t, open(bearer)) })
	check(t, "auth.bearer-transaction", func(t *testing.T) { writeTogether(t, open(bearer)) })
	check(t, "auth.bearer-expired", func(t *testing.T) {
		_, err := open(access{endpoint: "TABLES_HTTPS_ENDPOINT", token: os.Getenv("TABLES_EXPIRED_TOKEN")}).tablePages("", 0)
		if got, isRejection := err.(rejection); !isRejection || got.status != 401 && got.status != 403 {
			t.Fatal(err)
		}
	})
}

func tableNames(t *testing.T, filter string) []string {
	t.Helper()
	pages, err := client.tablePages(filter, 0)
	ok(t, err)
	var names []string
	for _, page := range pages {
		names = append(names, page...)
	}
	return names
}

func TestTables(t *testing.T) {
	listed := func(t *testing.T, name string) bool {
		return strings.Contains(" "+strings.Join(tableNames(t, ""), " ")+" ", " "+name+" ")
	}
	check(t, "table.create", func(t *testing.T) {
		if table := newTable(t); !listed(t, table) {
			t.Fatal(table)
		}
	})
	check(t, "table.create-twice", func(t *testing.T) {
		rejected(t, client.createTable(newTable(t)), 409, "TableAlreadyExists")
	})
	check(t, "table.create-case", func(t *testing.T) {
		rejected(t, client.createTable(strings.ToUpper(newTable(t))), 409, "TableAlreadyExists")
	})
	check(t, "table.invalid-name", func(t *testing.T) { rejected(t, client.createTable("a-b"), 400, "") })
	check(t, "table.delete", func(t *testing.T) {
		table := newTable(t)
		ok(t, client.deleteTable(table))
		if listed(t, table) {
			t.Fatal(table)
		}
	})
	check(t, "table.delete-missing", func(t *testing.T) {
		rejected(t, client.deleteTable(newName()), 404, "ResourceNotFound")
	})
	check(t, "table.recreate", func(t *testing.T) {
		table := newTable(t)
		_, err := client.insert(table, keys("p", "r"))
		ok(t, err)
		ok(t, client.deleteTable(table))
		ok(t, client.createTable(table))
		rowsAre(t, client, table, "")
	})
	check(t, "table.filter", func(t *testing.T) {
		table := newTable(t)
		if names := tableNames(t, "TableName eq '"+table+"'"); strings.Join(names, " ") != table {
			t.Fatal(names)
		}
	})
	check(t, "table.pages", func(t *testing.T) {
		for _, name := range strings.Fields("pages1 pages2 pages3 pages4 pages5") {
			ok(t, client.createTable(name))
		}
		pages, err := client.tablePages("TableName ge 'pages' and TableName lt 'paget'", 2)
		ok(t, err)
		if len(pages) != 3 || len(pages[0]) != 2 || len(pages[1]) != 2 || len(pages[2]) != 1 {
			t.Fatal(pages)
		}
	})
	check(t, "table.missing", func(t *testing.T) {
		_, err := client.insert(newName(), keys("p", "r"))
		rejected(t, err, 404, "TableNotFound")
	})
}

func TestSettings(t *testing.T) {
	set := func(days int32, origins int) error {
		retention := &aztables.RetentionPolicy{Enabled: ptr(days > 0)}
		if days > 0 {
			retention.Days = &days
		}
		version, yes, no := "1.0", true, false
		var rules []*aztables.CorsRule
		for at := range origins {
			origin, empty, age := "http://"+string(rune('a'+at))+".example", "", int32(60)
			rules = append(rules, &aztables.CorsRule{
				AllowedOrigins: &origin, AllowedMethods: ptr("GET"), AllowedHeaders: &empty, ExposedHeaders: &empty, MaxAgeInSeconds: &age,
			})
		}
		_, err := client.service.SetProperties(ctx, aztables.ServiceProperties{
			Logging:     &aztables.Logging{Version: &version, Read: &yes, Write: &yes, Delete: &no, RetentionPolicy: retention},
			HourMetrics: &aztables.Metrics{Version: &version, Enabled: &yes, IncludeAPIs: &yes, RetentionPolicy: retention},
			Cors:        rules,
		}, nil)
		return asRejection(err)
	}
	check(t, "service.properties", func(t *testing.T) {
		ok(t, set(7, 2))
		found, err := client.service.GetProperties(ctx, nil)
		ok(t, asRejection(err))
		logging := found.Logging
		covers := *logging.Read && *logging.Write && !*logging.Delete && *logging.RetentionPolicy.Days == 7
		if !covers || !*found.HourMetrics.Enabled || len(found.Cors) != 2 || *found.Cors[1].AllowedOrigins != "http://b.example" {
			t.Fatal(found)
		}
		ok(t, set(0, 0))
	})
	check(t, "service.retention", func(t *testing.T) { rejected(t, set(366, 0), 400, "") })
	check(t, "service.cors-many", func(t *testing.T) { rejected(t, set(0, 6), 400, "") })
	check(t, "service.statistics", func(t *testing.T) {
		found, err := open(access{endpoint: "TABLES_SECONDARY_ENDPOINT"}).service.GetStatistics(ctx, nil)
		ok(t, asRejection(err))
		if *found.GeoReplication.Status != aztables.GeoReplicationStatusLive {
			t.Fatal(found)
		}
	})
	type policies = []*aztables.SignedIdentifier
	policy := func(id, rights string, start, end *time.Time) *aztables.SignedIdentifier {
		return &aztables.SignedIdentifier{ID: &id, AccessPolicy: &aztables.AccessPolicy{Permission: &rights, Start: start, Expiry: end}}
	}
	start, end := inHours(-1), inHours(1)
	setPolicies := func(table string, made policies) error {
		_, err := client.of(table).SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: made})
		return asRejection(err)
	}
	read := func(t *testing.T, table string) policies {
		found, err := client.of(table).GetAccessPolicy(ctx, nil)
		ok(t, asRejection(err))
		return found.SignedIdentifiers
	}
	check(t, "policy.write", func(t *testing.T) {
		table := newTable(t)
		ok(t, setPolicies(table, policies{policy("one", "r", &start, &end), policy("two", "raud", &start, &end)}))
		found := read(t, table)
		if len(found) != 2 || *found[1].AccessPolicy.Permission != "raud" || !found[0].AccessPolicy.Expiry.Equal(end) {
			t.Fatal(found)
		}
	})
	check(t, "policy.replace", func(t *testing.T) {
		table := newTable(t)
		ok(t, setPolicies(table, policies{policy("one", "r", &start, &end)}))
		ok(t, setPolicies(table, policies{policy("two", "a", &start, &end)}))
		if found := read(t, table); len(found) != 1 || *found[0].ID != "two" {
			t.Fatal(found)
		}
	})
	check(t, "policy.partial", func(t *testing.T) {
		table := newTable(t)
		ok(t, setPolicies(table, policies{policy("one", "r", nil, &end)}))
		found := read(t, table)[0].AccessPolicy
		if found.Start != nil || !found.Expiry.Equal(end) || *found.Permission != "r" {
			t.Fatal(found)
		}
	})
	check(t, "policy.none", func(t *testing.T) {
		if found := read(t, newTable(t)); len(found) != 0 {
			t.Fatal(found)
		}
	})
	check(t, "sas.policy", func(t *testing.T) {
		table := newTable(t)
		ok(t, setPolicies(table, policies{policy("reader", "r", &start, &end)}))
		signed := open(access{signature: sign(aztables.SASSignatureValues{TableName: table, Identifier: "reader"})})
		rowsAre(t, signed, table, "")
		_, err := signed.insert(table, keys("p", "r"))
		rejected(t, err, 403, "AuthorizationPermissionMismatch")
	})
	check(t, "sas.policy-removed", func(t *testing.T) {
		table := newTable(t)
		ok(t, setPolicies(table, policies{policy("reader", "r", &start, &end)}))
		ok(t, setPolicies(table, nil))
		signed := open(access{signature: sign(aztables.SASSignatureValues{TableName: table, Identifier: "reader"})})
		_, err := signed.list(table, "")
		rejected(t, err, 403, "AuthenticationFailed")
	})
}

func ptr[T any](v T) *T { return &v }
