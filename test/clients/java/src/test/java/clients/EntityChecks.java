package clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import clients.Model.Entity;
import clients.Model.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Entities and their tags. */
final class EntityChecks extends Checks {
    @Override
    Checks fresh() {
        return new EntityChecks();
    }

    private static Entity ab() {
        return Entity.of("p", "r", "A", 1, "B", 2);
    }

    private static Entity b3() {
        return Entity.of("p", "r", "B", 3);
    }

    private static Entity many(int count, Value value) {
        var pairs = new ArrayList<Object>();
        for (int at = 0; at < count; at++) pairs.addAll(List.of("P" + at, value == null ? at : value));
        return Entity.of("p", "r", pairs.toArray());
    }

    private void updates(String id, String mode, Map<String, Integer> after) {
        check(id, () -> {
            var table = newTable();
            client.insert(table, ab());
            client.update(table, b3(), mode, null);
            numbersAre(table, after);
        });
    }

    private void upserts(String id, String mode, boolean exists, Map<String, Integer> after) {
        check(id, () -> {
            var table = newTable();
            if (exists) client.insert(table, Entity.of("p", "r", "A", 1));
            client.upsert(table, b3(), mode);
            numbersAre(table, after);
        });
    }

    private void rejects(String id, String code, Entity entity) {
        check(id, () -> {
            var table = newTable();
            rejected(400, code, () -> client.insert(table, entity));
        });
    }

    @Override
    void define() {
        check("entity.insert", () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "r", "A", 1, "B", new Value("String", "two")));
            var found = read(table);
            assertEquals(List.of("p", "r"), List.of(found.partition(), found.row()));
            assertEquals(Map.of("A", new Value("Int32", "1"), "B", new Value("String", "two")), found.properties());
        });
        check("entity.insert-twice", () -> {
            var table = newTable();
            client.insert(table, ab());
            rejected(409, "EntityAlreadyExists", () -> client.insert(table, ab()));
        });
        check("entity.get-missing", () -> {
            var table = newTable();
            rejected(404, "ResourceNotFound", () -> read(table));
        });
        check("entity.get-select", () -> {
            var table = newTable();
            client.insert(table, ab());
            assertEquals(Map.of("A", new Value("Int32", "1")), client.get(table, "p", "r", List.of("A")).properties());
        });
        updates("entity.replace", "replace", Map.of("B", 3));
        updates("entity.merge", "merge", Map.of("A", 1, "B", 3));
        check("entity.replace-missing", () -> {
            var table = newTable();
            rejected(404, "ResourceNotFound", () -> client.update(table, ab(), "replace", null));
        });
        check("entity.merge-missing", () -> {
            var table = newTable();
            rejected(404, "ResourceNotFound", () -> client.update(table, ab(), "merge", null));
        });
        upserts("entity.upsert-replace-new", "replace", false, Map.of("B", 3));
        upserts("entity.upsert-replace-old", "replace", true, Map.of("B", 3));
        upserts("entity.upsert-merge-new", "merge", false, Map.of("B", 3));
        upserts("entity.upsert-merge-old", "merge", true, Map.of("A", 1, "B", 3));
        check("entity.delete", () -> {
            var table = newTable();
            client.insert(table, ab());
            client.delete(table, "p", "r", null);
            rejected(404, "ResourceNotFound", () -> read(table));
        });
        check("entity.delete-missing", () -> {
            var table = newTable();
            rejected(404, "ResourceNotFound", () -> client.delete(table, "p", "r", null));
        });
        check("entity.timestamp", () -> {
            var table = newTable();
            client.insert(table, ab());
            var age = Duration.between(read(table).timestamp(), Instant.now()).abs();
            assertTrue(age.compareTo(Duration.ofHours(1)) < 0, age.toString());
        });
        check("entity.no-properties", () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "r"));
            assertEquals(Map.of(), read(table).properties());
        });
        check("entity.many-properties", () -> {
            var table = newTable();
            client.insert(table, many(252, null));
            assertEquals(new HashMap<>(many(252, null).properties()), new HashMap<>(read(table).properties()));
        });
        rejects("entity.too-many-properties", "TooManyProperties", many(253, null));
        rejects("entity.too-large", "EntityTooLarge", many(17, new Value("String", "x".repeat(32_000))));
        rejects("entity.large-property", "PropertyValueTooLarge", many(1, new Value("String", "x".repeat(32_769))));
        rejects("entity.property-name", "PropertyNameInvalid", Entity.of("p", "r", "a-b", 1));
        rejects("entity.long-key", null, Entity.of("p".repeat(513), "r"));

        check("tag.insert", () -> {
            var table = newTable();
            assertEquals(client.insert(table, ab()), read(table).tag());
        });
        check("tag.changes", () -> {
            var table = newTable();
            var tags = new HashSet<String>();
            tags.add(client.insert(table, ab()));
            tags.add(client.update(table, ab(), "replace", null));
            tags.add(client.update(table, ab(), "merge", null));
            tags.add(client.upsert(table, ab(), "replace"));
            assertEquals(4, tags.size());
        });
        for (var mode : List.of("replace", "merge")) {
            check(mode.equals("merge") ? "tag.merge" : "tag.replace", () -> {
                var table = newTable();
                var tag = client.insert(table, Entity.of("p", "r", "B", 1));
                client.update(table, b3(), mode, tag);
                numbersAre(table, Map.of("B", 3));
            });
            check(mode.equals("merge") ? "tag.stale-merge" : "tag.stale-replace", () -> {
                var table = newTable();
                var old = client.insert(table, ab());
                client.update(table, ab(), "replace", null);
                rejected(412, "UpdateConditionNotSatisfied", () -> client.update(table, b3(), mode, old));
            });
        }
        check("tag.delete", () -> {
            var table = newTable();
            client.delete(table, "p", "r", client.insert(table, ab()));
            assertEquals(List.of(), rows(client, table));
        });
        check("tag.stale-delete", () -> {
            var table = newTable();
            var old = client.insert(table, ab());
            client.update(table, ab(), "replace", null);
            rejected(412, "UpdateConditionNotSatisfied", () -> client.delete(table, "p", "r", old));
        });
    }
}
