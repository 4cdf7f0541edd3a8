package clients;

import static clients.Model.env;

import clients.Driver.Client;
import clients.Model.Cannot;
import clients.Model.Entity;
import clients.Model.Query;
import clients.Model.Rejected;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;

/** Checks of one area. A class names the checks of its area; every client runs them. */
abstract class Checks {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private List<DynamicTest> tests;
    Driver driver;
    Client client;

    interface Run {
        void run() throws Exception;
    }

    /** Names the checks of the area, for the driver and the client in the fields. */
    abstract void define() throws Exception;

    abstract Checks fresh();

    @TestFactory
    Stream<DynamicTest> checks() throws Exception {
        var all = new ArrayList<DynamicTest>();
        for (Driver one : List.of(new SyncDriver(), new AsyncDriver(), new LegacyDriver())) {
            var area = fresh();
            area.driver = one;
            area.client = one.open(Model.Access.HTTP);
            area.tests = all;
            area.define();
        }
        return all.stream();
    }

    /** Runs one check of checks.md and reports its result. */
    void check(String id, Run run) {
        tests.add(DynamicTest.dynamicTest(driver.name() + ": " + id, () -> {
            try {
                run.run();
                report(id, "held", "");
            } catch (Cannot why) {
                report(id, "cannot", why.getMessage());
                throw new TestAbortedException(why.getMessage());
            } catch (Throwable error) {
                report(id, "failed", String.valueOf(error));
                throw error;
            }
        }));
    }

    private void report(String id, String result, String why) throws Exception {
        var reason = why.length() > 400 ? why.substring(0, 400) : why;
        var line = "{\"client\":%s,\"version\":%s,\"check\":%s,\"result\":%s,\"why\":%s}%n".formatted(
            quote(driver.name()), quote(driver.version()), quote(id), quote(result), quote(reason));
        Files.writeString(Path.of(env("TABLES_RESULTS")), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static String quote(String text) {
        return '"' + text.replaceAll("[\"\\\\\\p{Cntrl}]", " ") + '"';
    }

    String newName() {
        return driver.prefix() + NUMBERS.incrementAndGet();
    }

    String newTable() throws Exception {
        var name = newName();
        client.createTable(name);
        return name;
    }

    Rejected rejected(int status, String code, Run run) throws Exception {
        try {
            run.run();
        } catch (Rejected rejection) {
            if (rejection.status != 0) Assertions.assertEquals(status, rejection.status, rejection.getMessage());
            if (code != null) Assertions.assertEquals(code, rejection.code, rejection.getMessage());
            return rejection;
        }
        return Assertions.fail("the call was answered, but " + status + " " + code + " was expected");
    }

    List<String> rows(Client one, String table) throws Exception {
        return one.list(table, Query.ALL).stream().map(Entity::row).toList();
    }

    Entity read(String table) throws Exception {
        return client.get(table, "p", "r", null);
    }

    void numbersAre(String table, Map<String, Integer> wanted) throws Exception {
        var found = new java.util.HashMap<String, Integer>();
        var entity = read(table);
        entity.properties().keySet().forEach(name -> found.put(name, entity.number(name)));
        Assertions.assertEquals(wanted, found);
    }
}
