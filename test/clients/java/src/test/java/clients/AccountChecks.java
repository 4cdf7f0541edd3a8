package clients;

import static clients.Model.env;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import clients.Driver.Client;
import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Entity;
import clients.Model.Rejected;
import java.util.Base64;
import java.util.List;

/** Accounts, addresses, tokens and tables. */
final class AccountChecks extends Checks {
    @Override
    Checks fresh() {
        return new AccountChecks();
    }

    private void writeAndRead(Client one) throws Exception {
        var table = newName();
        one.createTable(table);
        one.insert(table, Entity.of("p", "r", "A", 1));
        assertEquals(1, one.get(table, "p", "r", null).number("A"));
    }

    private void writeTogether(Client one) throws Exception {
        var table = newName();
        one.createTable(table);
        one.transaction(table, List.of(
            Action.of("insert", Entity.of("p", "1")), Action.of("insert", Entity.of("p", "2"))));
        assertEquals(List.of("1", "2"), rows(one, table));
    }

    private List<String> names(String filter) throws Exception {
        return client.tablePages(filter, null).stream().flatMap(List::stream).toList();
    }

    @Override
    void define() {
        var https = Access.HTTP.at("TABLES_HTTPS_ENDPOINT");
        var host = Access.HTTP.at("TABLES_HOST_ENDPOINT");
        var secondary = Access.HTTP.at("TABLES_SECONDARY_ENDPOINT");
        var bearer = new Access("TABLES_HTTPS_ENDPOINT", null, null, env("TABLES_TOKEN"), true);

        check("auth.shared-key", () -> writeAndRead(client));
        check("auth.connection-string", () -> writeAndRead(driver.open(Access.HTTP.at("TABLES_CONNECTION_STRING"))));
        check("auth.wrong-key", () -> {
            var key = Base64.getEncoder().encodeToString("another key".getBytes());
            var one = driver.open(new Access("TABLES_ENDPOINT", key, null, null, true));
            rejected(403, "AuthenticationFailed", () -> one.tablePages(null, null));
        });
        check("auth.host-style", () -> writeAndRead(driver.open(host)));
        check("auth.host-style-transaction", () -> writeTogether(driver.open(host)));
        check("auth.secondary-read", () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "r", "A", 1));
            assertEquals(1, driver.open(secondary).get(table, "p", "r", null).number("A"));
        });
        check("auth.secondary-write", () -> {
            var table = newTable();
            var one = driver.open(secondary);
            rejected(403, "InsufficientAccountPermissions", () -> one.insert(table, Entity.of("p", "r")));
        });
        check("auth.https", () -> writeAndRead(driver.open(https)));
        check("auth.https-transaction", () -> writeTogether(driver.open(https)));
        check("auth.https-untrusted", () -> {
            var one = driver.open(new Access("TABLES_HTTPS_ENDPOINT", null, null, null, false));
            var error = assertThrows(Exception.class, () -> one.tablePages(null, null));
            var text = new StringBuilder();
            for (Throwable cause = error; cause != null; cause = cause.getCause()) text.append(cause);
            assertTrue(text.toString().contains("certification path"), text.toString());
        });
        check("auth.bearer", () -> writeAndRead(driver.open(bearer)));
        check("auth.bearer-transaction", () -> writeTogether(driver.open(bearer)));
        check("auth.bearer-expired", () -> {
            var one = driver.open(new Access("TABLES_HTTPS_ENDPOINT", null, null, env("TABLES_EXPIRED_TOKEN"), true));
            var rejection = assertThrows(Rejected.class, () -> one.tablePages(null, null));
            assertTrue(rejection.status == 401 || rejection.status == 403, rejection.getMessage());
        });

        check("table.create", () -> {
            var table = newTable();
            assertTrue(names(null).contains(table));
        });
        check("table.create-twice", () -> {
            var table = newTable();
            rejected(409, "TableAlreadyExists", () -> client.createTable(table));
        });
        check("table.create-case", () -> {
            var table = newTable();
            rejected(409, "TableAlreadyExists", () -> client.createTable(table.toUpperCase()));
        });
        check("table.invalid-name", () -> rejected(400, null, () -> client.createTable("a-b")));
        check("table.delete", () -> {
            var table = newTable();
            client.deleteTable(table);
            assertFalse(names(null).contains(table));
        });
        check("table.delete-missing", () -> rejected(404, "ResourceNotFound", () -> client.deleteTable(newName())));
        check("table.recreate", () -> {
            var table = newTable();
            client.insert(table, Entity.of("p", "r"));
            client.deleteTable(table);
            client.createTable(table);
            assertEquals(List.of(), rows(client, table));
        });
        check("table.filter", () -> {
            var table = newTable();
            assertEquals(List.of(table), names("TableName eq '" + table + "'"));
        });
        check("table.pages", () -> {
            var prefix = "pages" + driver.prefix();
            for (int at = 1; at <= 5; at++) client.createTable(prefix + at);
            var filter = "TableName ge '" + prefix + "' and TableName lt '" + prefix + "z'";
            assertEquals(List.of(2, 2, 1), client.tablePages(filter, 2).stream().map(List::size).toList());
        });
        check("table.missing", () -> rejected(404, "TableNotFound", () -> client.insert(newName(), Entity.of("p", "r"))));
    }
}
