package clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Cannot;
import clients.Model.Entity;
import clients.Model.Query;
import clients.Model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Values, keys, filters and pages. */
final class QueryChecks extends Checks {
    private String filled;
    private String many;

    @Override
    Checks fresh() {
        return new QueryChecks();
    }

    private String filled() throws Exception {
        if (filled != null) return filled;
        filled = newTable();
        var columns = new ArrayList<>(Model.<String>cases("columns").entrySet());
        for (var raw : (List<?>) Model.CASES.get("rows")) {
            var row = (List<?>) raw;
            var pairs = new ArrayList<Object>();
            for (int at = 0; at < columns.size(); at++) {
                var kind = columns.get(at).getValue();
                var text = (String) row.get(at + 2);
                if (kind.equals("DateTime") && !driver.hasTicks()) text = text.substring(0, 19) + "Z";
                pairs.addAll(List.of(columns.get(at).getKey(), new Value(kind, text)));
            }
            client.insert(filled, Entity.of((String) row.get(0), (String) row.get(1), pairs.toArray()));
        }
        return filled;
    }

    private String many() throws Exception {
        if (many != null) return many;
        many = newTable();
        for (int start = 0; start < 2050; start += 100) {
            var batch = IntStream.range(start, Math.min(start + 100, 2050))
                .mapToObj(at -> Action.of("insert", Entity.of("p", "%05d".formatted(at), "N", at)))
                .toList();
            client.transaction(many, batch);
        }
        return many;
    }

    private List<Integer> sizes(Integer size) throws Exception {
        var sizes = new ArrayList<Integer>();
        Object token = null;
        do {
            var page = client.page(many(), new Query(null, null, size), token);
            sizes.add(page.rows().size());
            token = page.token();
        } while (token != null);
        return sizes;
    }

    private List<String> found(String filter) throws Exception {
        return client.list(many(), new Query(filter, null, null)).stream().map(Entity::row).toList();
    }

    @Override
    void define() {
        Model.<List<Object>>cases("values").forEach((id, pair) -> check(id, () -> {
            var table = newTable();
            var wanted = new Value((String) pair.get(0), Model.expand(pair.get(1)));
            client.insert(table, Entity.of("p", "r", "V", wanted));
            var value = read(table).properties().get("V");
            assertTrue(wanted.isSame(value), String.valueOf(value));
        }));
        Model.<Object>cases("keys").forEach((id, text) -> check(id, () -> {
            var table = newTable();
            var key = Model.expand(text);
            client.insert(table, Entity.of(key, key, "A", 1));
            var read = client.get(table, key, key, null);
            assertEquals(List.of(key, key), List.of(read.partition(), read.row()));
            client.update(table, Entity.of(key, key, "B", 2), "merge", null);
            var quoted = key.replace("'", "''");
            var filter = "PartitionKey eq '" + quoted + "' and RowKey eq '" + quoted + "'";
            var list = client.list(table, new Query(filter, null, null));
            assertEquals(1, list.size());
            assertEquals(List.of(1, 2), List.of(list.get(0).number("A"), list.get(0).number("B")));
            client.delete(table, key, key, null);
            assertEquals(List.of(), rows(client, table));
        }));
        Model.<List<String>>cases("filters").forEach((id, pair) -> check(id, () -> {
            if (id.endsWith("-ticks") && !driver.hasTicks()) throw new Cannot("the client has instants of milliseconds");
            var filter = pair.get(0).isEmpty() ? null : pair.get(0);
            var keys = client.list(filled(), new Query(filter, null, null)).stream()
                .map(one -> one.partition() + one.row())
                .toList();
            assertEquals(pair.get(1), String.join(" ", keys));
        }));
        check("filter.invalid", () -> {
            var table = filled();
            rejected(400, "InvalidInput", () -> client.list(table, new Query("Int eq", null, null)));
        });
        check("filter.select", () -> {
            var query = new Query("PartitionKey eq 'a' and RowKey eq '1'", List.of("Int"), null);
            assertEquals(Map.of("Int", new Value("Int32", "-5")), client.list(filled(), query).get(0).properties());
        });
        check("page.default", () -> assertEquals(List.of(1000, 1000, 50), sizes(null)));
        check("page.all", () ->
            assertEquals(IntStream.range(0, 2050).mapToObj("%05d"::formatted).toList(), found(null)));
        check("page.size", () -> assertEquals(List.of(700, 700, 650), sizes(700)));
        check("page.resume", () -> {
            var token = client.page(many(), new Query(null, null, 300), null).token();
            var page = driver.open(Access.HTTP).page(many(), new Query(null, null, 2), token);
            assertEquals(List.of("00300", "00301"), page.rows().stream().map(Entity::row).toList());
        });
        check("page.filter", () -> assertEquals(List.of("00003", "02049"), found("N eq 3 or N eq 2049")));
        check("page.cancel", () -> {
            for (int round = 0; round < 3; round++) assertEquals("00000", client.first(many()).row());
            assertEquals("00007", client.get(many(), "p", "00007", null).row());
        });
        check("page.empty", () -> assertEquals(List.of(), found("N eq -1")));
    }
}
