package kits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableServiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;
import tabularium.testing.TabulariumBranch;
import tabularium.testing.TabulariumExtension;
import tabularium.testing.TabulariumServer;

@ExtendWith(TabulariumExtension.class)
class KitTest {
    static {
        String words = System.getenv("KIT_ARGUMENTS");
        if (words != null && !words.isEmpty()) TabulariumServer.useArguments(words.split(" "));
    }

    static TableServiceClient service(TabulariumBranch branch) {
        return new TableServiceClientBuilder().connectionString(branch.connectionString()).buildClient();
    }

    private static TableEntity book() {
        return new TableEntity("math", "1").addProperty("Title", "Notes");
    }

    @RepeatedTest(64)
    void parallelTestsHaveAccountsAndReasonsOfTheirOwn(RepetitionInfo repetition, TabulariumBranch branch) {
        String name = "Books" + repetition.getCurrentRepetition();
        TableClient table = service(branch).createTable(name);
        table.createEntity(book());
        assertThrows(TableServiceException.class, () -> table.createEntity(book()));
        String reasons = branch.explain();
        assertEquals(1, reasons.split("POST /Books", -1).length - 1, reasons);
        assertTrue(reasons.matches("(?s).*POST /" + name + "\\b.*"), reasons);
    }

    @Test
    void aBranchStartsFromASnapshot(TabulariumBranch source) {
        service(source).createTable("Books");
        source.server().snapshot("one-table", source.account());
        try (TabulariumBranch branch = source.server().branch("copy", "one-table")) {
            assertEquals(1, service(branch).listTables().stream().count());
        }
    }

    @Test
    void aFaultIsRetriedByTheSdkAndExplained(TabulariumBranch branch) {
        TableClient table = service(branch).createTable("Books");
        branch.fault("op=insert fault=ServerBusy times=1");
        table.createEntity(book());
        table.getEntity("math", "1");
    }

    @Test
    void failuresBeforeAndAfterATestHaveReasons() {
        for (Class<?> fails : List.of(OutsideTestMethods.BeforeEachFails.class, OutsideTestMethods.AfterEachFails.class)) {
            Throwable[] reasons = failureOf(fails).orElseThrow().getSuppressed();
            assertEquals(1, reasons.length);
            assertTrue(reasons[0].getMessage().contains("404 TableNotFound: POST /Books"), reasons[0].getMessage());
        }
    }

    @Test
    void theBranchOfAClassIsNotThatOfItsTests() {
        assertEquals(Optional.empty(), failureOf(OutsideTestMethods.BeforeAllFills.class));
    }

    @Test
    void aConstructorGetsNoBranch() {
        assertTrue(failureOf(OutsideTestMethods.InConstructor.class).orElseThrow().getMessage().contains("Take the branch in the test method"));
    }

    /** Runs a test class, and returns its first failure. */
    private static Optional<Throwable> failureOf(Class<?> tests) {
        SummaryGeneratingListener results = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(), results);
        return results.getSummary().getFailures().stream().map(Failure::getException).findFirst();
    }

    /** Fails if it is asked for: its output is compared with that of the other kits. */
    @Test
    @EnabledIfEnvironmentVariable(named = "KIT_ARGUMENTS", matches = ".*")
    void updatesWithAnOldETag(TabulariumBranch branch) {
        TableClient table = service(branch).createTable("Books");
        table.createEntity(book());
        TableEntity read = table.getEntity("math", "1");
        table.updateEntityWithResponse(read, TableEntityUpdateMode.MERGE, true, null, null);
        table.listEntities(new ListEntitiesOptions().setFilter("PartitionKey eq 'math' or PartitionKey eq 'art'"), null, null)
                .forEach(entity -> {});
        table.updateEntityWithResponse(read, TableEntityUpdateMode.MERGE, true, null, null);
    }

    /** Writes the address of the server to a file, and ends the process as it is asked to. */
    @Test
    @EnabledIfEnvironmentVariable(named = "KIT_FILE", matches = ".+")
    void ends(TabulariumBranch branch) throws IOException, InterruptedException {
        Files.writeString(Path.of(System.getenv("KIT_FILE")), branch.server().url());
        String how = System.getenv("KIT_END");
        if (how.equals("exit")) Runtime.getRuntime().halt(3);
        if (how.equals("exception")) throw new IllegalStateException("as asked");
        if (how.equals("kill")) new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start();
        // The signal comes while the test still runs.
        if (how.equals("kill")) new CountDownLatch(1).await();
    }
}
