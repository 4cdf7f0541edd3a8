package tabularium.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Starts a server that ends when its standard input does: the system closes that when this process ends, however it ends. */
final class ServerProcess {
    private static final int START_SECONDS = 30;
    private static final int END_SECONDS = 5;
    private static final boolean IS_WINDOWS = File.separatorChar == '\\';

    /** Returns the line of JSON that a server prints when it is ready. */
    static String start(List<String> arguments) {
        List<String> words = new ArrayList<>(findProgram());
        words.addAll(List.of("start", "--inMemoryPersistence", "--tablePort", "0", "--silent", "--endWithStdin", "--ready", "json"));
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words);
        // Settings of the developer's own server, such as a port or a database, are not meant for this one.
        builder.environment().keySet().removeIf(name -> name.toUpperCase(Locale.ROOT).startsWith("TABULARIUM_"));
        Process process;
        try {
            process = builder.start();
        } catch (IOException error) {
            throw new TabulariumException(words.get(0) + " cannot be run: " + error.getMessage(), error);
        }
        StringBuffer failures = new StringBuffer();
        CompletableFuture<Void> failuresEnd = read(process.getErrorStream(), new CompletableFuture<>(), failures);
        CompletableFuture<String> line = new CompletableFuture<>();
        read(process.getInputStream(), line, new StringBuffer());
        String ready = line.completeOnTimeout("late", START_SECONDS, TimeUnit.SECONDS).join();
        input = process.getOutputStream();
        if (ready.startsWith("{\"ready\":true")) return ready;
        end(process);
        // A process that the program leaves behind may keep this pipe open.
        failuresEnd.completeOnTimeout(null, END_SECONDS, TimeUnit.SECONDS).join();
        String why = ready.equals("late") ? "was not ready within 30 seconds.\n" : "ended before it was ready.\n";
        String error = Json.text(ready, "error");
        throw new TabulariumException(String.join(" ", words) + " " + (error.isEmpty() ? why + failures : "did not start: " + error), null);
    }

    /** Ends a process in order; kills it if that takes longer than five seconds. */
    private static void end(Process process) {
        try (OutputStream closed = process.getOutputStream()) {
            closed.flush();
        } catch (IOException ended) {
            // It has ended.
        }
        process.onExit().completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS).join().destroyForcibly();
    }

    /** Keeps the server running: a pipe is closed when nobody refers to it. */
    private static OutputStream input;

    /** Reads a stream to its end, since a full pipe would stop the server. `first` gets its first line, `text` all. */
    private static CompletableFuture<Void> read(InputStream stream, CompletableFuture<String> first, StringBuffer text) {
        return CompletableFuture.runAsync(() -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line; (line = lines.readLine()) != null; text.append(line).append('\n')) first.complete(line);
            } catch (IOException ended) {
                text.append(ended.getMessage());
            }
            first.complete("");
        }, work -> {
            Thread thread = new Thread(work, "tabularium");
            thread.setDaemon(true);
            thread.start();
        });
    }

    /** Returns the words that start the program. It downloads nothing. */
    private static List<String> findProgram() {
        String named = System.getenv("TABULARIUM_PROGRAM");
        if (named != null && !named.isEmpty()) {
            if (Files.isRegularFile(Path.of(named))) return wordsOf(named);
            throw new TabulariumException("TABULARIUM_PROGRAM is " + named + ", which is not a file.", null);
        }
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path file = folder.resolve(Path.of("node_modules", "tabularium", "dist", "main.js"));
            if (Files.isRegularFile(file)) return wordsOf(file.toString());
        }
        String found = onPath(IS_WINDOWS ? "tabularium.exe" : "tabularium");
        if (found != null) return List.of(found);
        throw new TabulariumException("There is no Tabularium. Run 'npm install --save-dev tabularium' in a folder above the tests, or put "
                + "the standalone binary on the PATH, or name it or a main.js in TABULARIUM_PROGRAM, or name a running server in TABULARIUM_URL.", null);
    }

    private static List<String> wordsOf(String file) {
        if (!file.matches(".*\\.[cm]?js")) return List.of(file);
        String node = onPath(IS_WINDOWS ? "node.exe" : "node");
        if (node != null) return List.of(node, file);
        throw new TabulariumException(file + " needs Node.js 20.19 or later, and there is no 'node' on the PATH. The standalone binary needs none.", null);
    }

    private static String onPath(String name) {
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "" : path).split(File.pathSeparator))
                .map(folder -> new File(folder, name)).filter(File::isFile).map(File::getPath).findFirst().orElse(null);
    }
}
