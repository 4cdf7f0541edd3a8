package clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import clients.Model.Action;
import clients.Model.Cannot;
import clients.Model.Entity;
import clients.Model.Query;
import clients.Model.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** Transactions. */
final class TransactionChecks extends Checks {
    @Override
    Checks fresh() {
        return new TransactionChecks();
    }

    private static List<Action> inserts(int count, String partition) {
        return IntStream.range(0, count)
            .mapToObj(at -> Action.of("insert", Entity.of(partition, "%03d".formatted(at), "A", at)))
            .toList();
    }

    private static List<Action> and(List<Action> some, Action last) {
        var all = new ArrayList<>(some);
        all.add(last);
        return all;
    }

    private void failsAt(String id, int count, int index) {
        check(id, () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "%03d".formatted(index)));
            var rejection =
                rejected(409, "EntityAlreadyExists", () -> client.transaction(table, inserts(count, "p")));
            assertEquals(index, rejection.index);
        });
    }

    @Override
    void define() {
        check("batch.hundred", () -> {
            var table = newTable();
            client.transaction(table, inserts(100, "p"));
            assertEquals(IntStream.range(0, 100).mapToObj("%03d"::formatted).toList(), rows(client, table));
        });
        check("batch.mixed", () -> {
            var table = newTable();
            for (var row : List.of("merge", "replace", "delete")) client.insert(table, Entity.of("p", row, "A", 1));
            var kinds = List.of("insert", "merge", "replace", "upsert-merge", "upsert-replace");
            var actions = kinds.stream().map(kind -> Action.of(kind, Entity.of("p", kind, "B", 2))).toList();
            client.transaction(table, and(actions, Action.of("delete", Entity.of("p", "delete"))));
            var found = new LinkedHashMap<String, Integer>();
            client.list(table, Query.ALL).forEach(one -> found.put(one.row(), one.properties().size()));
            assertEquals(
                Map.of("insert", 1, "merge", 2, "replace", 1, "upsert-merge", 1, "upsert-replace", 1), found);
        });
        check("batch.results", () -> {
            var table = newTable();
            var tags = client.transaction(table, inserts(3, "p"));
            if (tags.stream().allMatch(Objects::isNull))
                throw new Cannot("the results of a transaction have no headers in this client");
            assertEquals(client.list(table, Query.ALL).stream().map(Entity::tag).toList(), tags);
        });
        failsAt("batch.index", 3, 1);
        failsAt("batch.index-last", 100, 99);
        check("batch.atomic", () -> {
            var table = newTable();
            var actions = and(inserts(2, "p"), new Action("replace", Entity.of("p", "missing"), "*"));
            rejected(404, "ResourceNotFound", () -> client.transaction(table, actions));
            assertEquals(List.of(), rows(client, table));
        });
        check("batch.duplicate", () -> {
            var table = newTable();
            var twice = List.of(
                Action.of("upsert-merge", Entity.of("p", "r")), Action.of("upsert-merge", Entity.of("p", "r")));
            rejected(400, "InvalidDuplicateRow", () -> client.transaction(table, twice));
        });
        check("batch.too-many", () -> {
            var table = newTable();
            rejected(400, null, () -> client.transaction(table, inserts(101, "p")));
        });
        check("batch.partitions", () -> {
            var table = newTable();
            var actions = and(inserts(1, "p"), inserts(1, "q").get(0));
            rejected(400, null, () -> client.transaction(table, actions));
        });
        check("batch.after-failure", () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "000"));
            rejected(409, null, () -> client.transaction(table, inserts(100, "p")));
            client.insert(table, Entity.of("p", "after"));
            assertEquals(List.of("000", "after"), rows(client, table));
        });
        check("batch.stale", () -> {
            var table = newTable();
            var old = client.insert(table, Entity.of("p", "x"));
            client.update(table, Entity.of("p", "x", "A", 1), "replace", null);
            var actions = and(inserts(1, "p"), new Action("replace", Entity.of("p", "x"), old));
            var rejection = rejected(412, "UpdateConditionNotSatisfied", () -> client.transaction(table, actions));
            assertEquals(1, rejection.index);
        });
        Map.of("batch.quote", "it's", "batch.unicode", "naïve 你好 😀").forEach((id, key) -> check(id, () -> {
            var table = newTable();
            client.transaction(table, List.of(
                Action.of("insert", Entity.of(key, key, "A", 1)), Action.of("insert", Entity.of(key, key + "2"))));
            client.transaction(table, List.of(
                Action.of("merge", Entity.of(key, key, "B", 2)), new Action("delete", Entity.of(key, key + "2"), null)));
            assertEquals(List.of(key), rows(client, table));
            assertEquals(2, client.list(table, Query.ALL).get(0).number("B"));
        }));
        check("batch.types", () -> {
            var table = newTable();
            var wanted = new LinkedHashMap<String, Value>();
            Model.<List<Object>>cases("values").forEach((id, pair) -> {
                var value = new Value((String) pair.get(0), Model.expand(pair.get(1)));
                if (!id.contains("long") && driver.canWrite(value)) wanted.put(id, value);
            });
            var actions = new ArrayList<Action>();
            wanted.forEach((id, value) -> actions.add(Action.of("insert", Entity.of("p", id, "V", value))));
            client.transaction(table, actions);
            var different = client.list(table, Query.ALL).stream()
                .filter(one -> !wanted.get(one.row()).isSame(one.properties().get("V")))
                .toList();
            assertEquals(List.of(), different);
            assertEquals(wanted.size(), rows(client, table).size());
        });
        check("batch.missing-table", () ->
            rejected(404, "TableNotFound", () -> client.transaction(newName(), inserts(2, "p"))));
    }
}
