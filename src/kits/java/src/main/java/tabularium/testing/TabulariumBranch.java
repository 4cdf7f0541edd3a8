package tabularium.testing;

import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** An account of its own for one test. JUnit closes it after the test, which deletes it with its data. */
public final class TabulariumBranch implements CloseableResource, AutoCloseable {
    private final TabulariumServer server;
    private final String account;
    private final String connectionString;

    TabulariumBranch(TabulariumServer server, String account, String connectionString) {
        this.server = server;
        this.account = account;
        this.connectionString = connectionString;
    }

    /** The server of the branch. */
    public TabulariumServer server() {
        return server;
    }

    /** The name of the account. */
    public String account() {
        return account;
    }

    /** The connection string, for every SDK. */
    public String connectionString() {
        return connectionString;
    }

    /** Makes requests to this branch fail, as {@code "op=insert fault=ServerBusy times=2"}. */
    public void fault(String rule) {
        server.ask("POST", "faults", Json.write("rules", rule + " account=" + account));
    }

    /** Says why requests of this branch were rejected, and which of its queries are costly. Empty if there is nothing to say. */
    public String explain() {
        try {
            return server.ask("GET", "branches/" + account + "/report", null).strip();
        } catch (TabulariumException error) {
            // The failure of the test itself counts more.
            return "Tabularium cannot explain this test: " + error.getMessage();
        }
    }

    @Override
    public void close() {
        server.ask("DELETE", "branches/" + account, null);
    }
}
