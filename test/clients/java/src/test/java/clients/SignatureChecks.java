package clients;

import static clients.Model.hours;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import clients.Driver.Client;
import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Entity;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import clients.Model.Rights;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Shared access signatures, stored policies and service properties. */
final class SignatureChecks extends Checks {
    private static final String MISMATCH = "AuthorizationPermissionMismatch";

    @Override
    Checks fresh() {
        return new SignatureChecks();
    }

    interface Use {
        void run(Client one, String table) throws Exception;
    }

    private String filled() throws Exception {
        var table = newTable();
        for (var partition : List.of("a", "b", "c")) client.insert(table, Entity.of(partition, "r", "A", 1));
        return table;
    }

    private String keys(Client one, String table) throws Exception {
        return String.join(" ", one.list(table, Query.ALL).stream().map(Entity::partition).toList());
    }

    private Client signed(Rights rights) throws Exception {
        return driver.open(Access.signed(driver.sign(rights)));
    }

    /** Runs a check with a filled table, and a client whose signature has these rights. */
    private void with(String id, String permissions, UnaryOperator<Rights> more, Use use) {
        check(id, () -> {
            var table = filled();
            use.run(signed(more.apply(Rights.of(table, permissions))), table);
        });
    }

    private void with(String id, String permissions, Use use) {
        with(id, permissions, rights -> rights, use);
    }

    private void rejects(String id, String code, String permissions, UnaryOperator<Rights> more) {
        with(id, permissions, more, (one, table) -> rejected(403, code, () -> one.list(table, Query.ALL)));
    }

    @Override
    void define() {
        with("sas.query", "r", (one, table) -> {
            assertEquals("a b c", keys(one, table));
            assertEquals("r", one.get(table, "a", "r", null).row());
        });
        with("sas.add", "a", (one, table) -> {
            one.insert(table, Entity.of("d", "r"));
            assertEquals("a b c d", keys(client, table));
        });
        with("sas.update", "u", (one, table) -> {
            one.update(table, Entity.of("a", "r", "A", 2), "merge", null);
            one.update(table, Entity.of("b", "r", "A", 2), "replace", null);
            assertEquals(2, client.list(table, new Query("A eq 2", null, null)).size());
        });
        with("sas.delete", "d", (one, table) -> {
            one.delete(table, "a", "r", null);
            assertEquals("b c", keys(client, table));
        });
        with("sas.upsert", "au", (one, table) -> {
            one.upsert(table, Entity.of("d", "r"), "merge");
            one.upsert(table, Entity.of("a", "r"), "replace");
            assertEquals("a b c d", keys(client, table));
        });
        rejects("sas.no-query", MISMATCH, "a", rights -> rights);
        with("sas.no-add", "r", (one, table) ->
            rejected(403, MISMATCH, () -> one.insert(table, Entity.of("d", "r"))));
        with("sas.no-delete", "rau", (one, table) -> rejected(403, MISMATCH, () -> one.delete(table, "a", "r", null)));
        with("sas.upsert-half", "u", (one, table) ->
            rejected(403, MISMATCH, () -> one.upsert(table, Entity.of("a", "r"), "merge")));
        with("sas.transaction", "raud", (one, table) -> {
            one.transaction(table, List.of(
                Action.of("insert", Entity.of("a", "s")), Action.of("delete", Entity.of("a", "r"))));
            assertEquals(List.of("s", "r", "r"), rows(client, table));
        });
        with("sas.other-table", "raud", (one, table) -> {
            var other = newTable();
            rejected(403, null, () -> one.list(other, Query.ALL));
        });
        rejects("sas.expired", "AuthenticationFailed", "raud", rights -> rights.during(hours(-2), hours(-1)));
        rejects("sas.early", "AuthenticationFailed", "raud", rights -> rights.during(hours(1), hours(2)));
        check("sas.tampered", () -> {
            var table = filled();
            var text = driver.sign(Rights.of(table, "r"));
            var changed = text.replace("sp=r", "sp=raud");
            assertNotEquals(text, changed);
            rejected(403, "AuthenticationFailed",
                () -> driver.open(Access.signed(changed)).list(table, Query.ALL));
        });
        with("sas.range-list", "raud", rights -> rights.within("b", "", "c", "z"), (one, table) ->
            assertEquals("b c", keys(one, table)));
        with("sas.range-write", "raud", rights -> rights.within("b", "", "c", "z"), (one, table) ->
            rejected(403, "AuthorizationFailure", () -> one.insert(table, Entity.of("a", "new"))));
        with("sas.address", "raud", rights -> rights.from("127.0.0.1"), (one, table) ->
            assertEquals("a b c", keys(one, table)));
        rejects("sas.other-address", "AuthorizationSourceIPMismatch", "raud", rights -> rights.from("10.0.0.1-10.0.0.9"));
        rejects("sas.https-only", "AuthorizationProtocolMismatch", "raud", Rights::overHttps);

        var reader = Map.of("reader", new Policy("r", hours(-1), hours(1)));
        check("sas.policy", () -> {
            var table = filled();
            client.setPolicies(table, reader);
            var one = signed(Rights.by(table, "reader"));
            assertEquals("a b c", keys(one, table));
            rejected(403, MISMATCH, () -> one.insert(table, Entity.of("d", "r")));
        });
        check("sas.policy-removed", () -> {
            var table = filled();
            client.setPolicies(table, reader);
            client.setPolicies(table, Map.of());
            rejected(403, "AuthenticationFailed",
                () -> signed(Rights.by(table, "reader")).list(table, Query.ALL));
        });
        check("sas.account", () -> {
            var one = signed(Rights.of(null, "rwdlacu"));
            var table = newName();
            one.createTable(table);
            assertTrue(one.tablePages(null, null).stream().anyMatch(page -> page.contains(table)));
        });
        check("sas.account-entities", () -> {
            var one = signed(Rights.of(null, "rwdlacu"));
            var table = filled();
            one.insert(table, Entity.of("d", "r"));
            assertEquals("a b c d", keys(one, table));
        });
        check("sas.account-no-type", () -> {
            var one = signed(Rights.of(null, "rwdlacu").on("s"));
            var table = filled();
            rejected(403, "AuthorizationResourceTypeMismatch", () -> one.list(table, Query.ALL));
        });
        check("sas.account-no-right", () -> {
            var one = signed(Rights.of(null, "r"));
            var table = filled();
            rejected(403, MISMATCH, () -> one.insert(table, Entity.of("d", "r")));
        });

        check("policy.write", () -> {
            var table = newTable();
            var two = Map.of("one", reader.get("reader"), "two", new Policy("raud", hours(-1), hours(2)));
            client.setPolicies(table, two);
            assertEquals(two, client.policies(table));
        });
        check("policy.replace", () -> {
            var table = newTable();
            client.setPolicies(table, reader);
            client.setPolicies(table, Map.of("two", new Policy("a", hours(-1), hours(1))));
            assertEquals(Set.of("two"), client.policies(table).keySet());
        });
        check("policy.partial", () -> {
            var table = newTable();
            client.setPolicies(table, Map.of("one", new Policy("r", null, hours(1))));
            var policy = client.policies(table).get("one");
            assertNull(policy.start());
            assertEquals("r", policy.rights());
        });
        check("policy.none", () -> assertEquals(Map.of(), client.policies(newTable())));
        check("service.properties", () -> {
            var origins = List.of("http://one.example", "http://two.example");
            client.setProperties(7, origins);
            assertEquals(new Properties(List.of(true, true, false), 7, true, origins), client.properties());
            client.setProperties(null, List.of());
        });
        check("service.retention", () -> rejected(400, null, () -> client.setProperties(366, List.of())));
        check("service.cors-many", () -> {
            var origins = IntStream.range(0, 6).mapToObj("http://%d.example"::formatted).toList();
            rejected(400, null, () -> client.setProperties(null, origins));
        });
        check("service.statistics", () -> assertEquals("live", driver.openStatistics().statistics()));
    }
}
