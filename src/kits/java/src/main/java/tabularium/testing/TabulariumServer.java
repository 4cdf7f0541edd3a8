package tabularium.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** The server of a test process: one that it started, or the one that {@code TABULARIUM_URL} names. */
public final class TabulariumServer {
    // A proxy that the environment names is not for a server on this machine.
    private static final HttpClient CLIENT = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();
    private static List<String> arguments = List.of();
    private static TabulariumServer shared;
    private static TabulariumException failure;

    private final String url;
    private final String token;
    private final String connectionString;

    private TabulariumServer(String url, String token, String connectionString) {
        this.url = url.replaceAll("/+$", "");
        this.token = token;
        String info = ask("GET", "info", null);
        this.connectionString = connectionString == null ? Json.text(info, "connectionString") : connectionString;
    }

    /** Adds options of {@code tabularium start}, such as {@code --seed people.csv}. Call it before the first branch. */
    public static synchronized void useArguments(String... more) {
        arguments = List.of(more);
    }

    /** Returns the server of this test process. The first call starts it; it ends with the process. */
    public static synchronized TabulariumServer shared() {
        try {
            if (shared == null && failure == null) shared = open();
        } catch (TabulariumException error) {
            failure = error;
        }
        // Each test has an exception of its own, to which its runner may add others.
        if (failure != null) throw new TabulariumException(failure.getMessage(), failure);
        return shared;
    }

    private static TabulariumServer open() {
        String given = System.getenv("TABULARIUM_URL");
        if (given != null && !given.isEmpty()) {
            return new TabulariumServer(given, System.getenv("TABULARIUM_ADMIN_TOKEN"), System.getenv("TABULARIUM_CONNECTION_STRING"));
        }
        String ready = ServerProcess.start(arguments);
        return new TabulariumServer(Json.text(ready, "url"), Json.text(ready, "adminToken"), Json.text(ready, "connectionString"));
    }

    /** The address, such as {@code http://127.0.0.1:10002}. */
    public String url() {
        return url;
    }

    /** The connection string of the first account. Tests that run in parallel take one of a branch. */
    public String connectionString() {
        return connectionString;
    }

    /** Creates an account for a test: {@code empty}, or a copy of a snapshot or of another account. */
    public TabulariumBranch branch(String test, String from) {
        String made = ask("POST", "branches", Json.write("from", from, "mark", test));
        return new TabulariumBranch(this, Json.text(made, "account"), Json.text(made, "connectionString"));
    }

    /** Keeps the data of an account under a name from which branches start. */
    public void snapshot(String name, String account) {
        ask("PUT", "snapshots/" + name, Json.write("account", account));
    }

    /** Empties all accounts but branches, or returns them to the snapshot {@code seed} if there is one. */
    public void reset() {
        ask("POST", "reset", "{}");
    }

    /** Moves the clock of the server forward, for all accounts: tests that do this run alone. */
    public void advanceClock(Duration by) {
        ask("POST", "clock/advance", Json.write("by", by.toMillis() + "ms"));
    }

    /** Sends a control call. Returns the text of the answer. */
    String ask(String method, String path, String body) {
        String address = url + "/_tabularium/" + path;
        HttpResponse<String> answer;
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofMinutes(1));
            request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            if (body != null) request.header("Content-Type", "application/json");
            if (path.endsWith("/report")) request.header("Accept", "text/plain");
            if (token != null && !token.isEmpty()) request.header("Authorization", "Bearer " + token);
            answer = CLIENT.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | IllegalArgumentException error) {
            throw new TabulariumException("There is no server at " + url + ": " + error, error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new TabulariumException(method + " " + address + " was interrupted.", error);
        }
        int status = answer.statusCode();
        if (answer.headers().firstValue("x-tabularium").isEmpty()) {
            throw new TabulariumException("The server at " + url + " is not Tabularium: status " + status + ".", null);
        }
        // A branch that is gone is deleted.
        if (status >= 400 && !(method.equals("DELETE") && status == 404)) {
            throw new TabulariumException(method + " " + address + " answers " + status + ": " + answer.body().strip(), null);
        }
        return answer.body();
    }
}
