package clients;

import com.azure.json.JsonProviders;
import com.azure.json.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the checks speak: entities with typed texts, and rejections. A driver translates it for one client. */
final class Model {
    private Model() {}

    /** A property: its type without "Edm.", and its text. */
    record Value(String kind, String text) {
        boolean isSame(Value other) {
            if (other == null || !kind.equals(other.kind)) return false;
            return switch (kind) {
                case "Double" -> Double.valueOf(text).equals(Double.valueOf(other.text));
                case "DateTime" -> Instant.parse(text).equals(Instant.parse(other.text));
                default -> text.equals(other.text);
            };
        }
    }

    /** An entity that is written or read. */
    record Entity(String partition, String row, Map<String, Value> properties, String tag, Instant timestamp) {
        static Entity of(String partition, String row, Object... namesAndValues) {
            var properties = new LinkedHashMap<String, Value>();
            for (int at = 0; at < namesAndValues.length; at += 2) {
                var value = namesAndValues[at + 1];
                properties.put(
                    (String) namesAndValues[at],
                    value instanceof Integer number ? new Value("Int32", number.toString()) : (Value) value);
            }
            return new Entity(partition, row, properties, null, null);
        }

        int number(String name) {
            return Integer.parseInt(properties.get(name).text());
        }
    }

    /** One operation of a transaction: insert, merge, replace, upsert-merge, upsert-replace or delete. */
    record Action(String kind, Entity entity, String tag) {
        static Action of(String kind, Entity entity) {
            return new Action(kind, entity, null);
        }
    }

    /** A page and the token of the next one, which is null after the last. */
    record Page(List<Entity> rows, Object token) {}

    /** What a query asks for. */
    record Query(String filter, List<String> select, Integer size) {
        static final Query ALL = new Query(null, null, null);
    }

    /** A stored access policy. */
    record Policy(String rights, OffsetDateTime start, OffsetDateTime expiry) {}

    /** Service properties: what the logging covers, its days, whether metrics are on, the origins of the CORS rules. */
    record Properties(List<Boolean> covers, Integer days, boolean metrics, List<String> origins) {}

    /** How a client reaches the service. */
    record Access(String endpoint, String key, String signature, String token, boolean trusted) {
        static final Access HTTP = new Access("TABLES_ENDPOINT", null, null, null, true);

        Access at(String other) {
            return new Access(other, key, signature, token, trusted);
        }

        static Access signed(String signature) {
            return new Access("TABLES_ENDPOINT", null, signature, null, true);
        }
    }

    /** What a shared access signature allows; without a table it is a signature of the account. */
    record Rights(
        String table, String permissions, String types, OffsetDateTime start, OffsetDateTime expiry, String address,
        boolean httpsOnly, List<String> keys, String policy) {
        static Rights of(String table, String permissions) {
            return new Rights(table, permissions, "sco", null, hours(1), null, false, null, null);
        }

        Rights during(OffsetDateTime from, OffsetDateTime to) {
            return new Rights(table, permissions, types, from, to, address, httpsOnly, keys, policy);
        }

        Rights from(String range) {
            return new Rights(table, permissions, types, start, expiry, range, httpsOnly, keys, policy);
        }

        Rights overHttps() {
            return new Rights(table, permissions, types, start, expiry, address, true, keys, policy);
        }

        Rights within(String... range) {
            return new Rights(table, permissions, types, start, expiry, address, httpsOnly, List.of(range), policy);
        }

        Rights on(String resourceTypes) {
            return new Rights(table, permissions, resourceTypes, start, expiry, address, httpsOnly, keys, policy);
        }

        static Rights by(String table, String policy) {
            return new Rights(table, null, null, null, null, null, false, null, policy);
        }
    }

    /** The client cannot express what the check asks for. */
    static final class Cannot extends RuntimeException {
        Cannot(String why) {
            super(why);
        }
    }

    /** The service rejected a call. index is -1 if the answer names no operation of a transaction. */
    static final class Rejected extends RuntimeException {
        final int status;
        final String code;
        final int index;

        Rejected(int status, String code, int index, Throwable cause) {
            super(status + " " + code + ": " + (cause == null ? "" : cause.getMessage()), cause);
            this.status = status;
            this.code = code;
            this.index = index;
        }
    }

    static final Map<String, Object> CASES = readCases();

    @SuppressWarnings("unchecked")
    private static Map<String, Object> readCases() {
        try (JsonReader reader = JsonProviders.createReader(Files.readString(Path.of(env("TABLES_CASES"))))) {
            return (Map<String, Object>) reader.readUntyped();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    @SuppressWarnings("unchecked")
    static <T> Map<String, T> cases(String name) {
        return (Map<String, T>) CASES.get(name);
    }

    static String expand(Object value) {
        if (value instanceof String text) return text;
        var repeated = (Map<?, ?>) value;
        return ((String) repeated.get("repeat")).repeat(((Number) repeated.get("times")).intValue());
    }

    static String env(String name) {
        return System.getenv(name);
    }

    static OffsetDateTime hours(int count) {
        return OffsetDateTime.now(ZoneOffset.UTC).plusHours(count).truncatedTo(ChronoUnit.SECONDS);
    }
}
