package kits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;
import tabularium.testing.TabulariumBranch;
import tabularium.testing.TabulariumExtension;

@ExtendWith(TabulariumExtension.class)
class KitTest {
    private static TableServiceClient service(TabulariumBranch branch) {
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

    /** Inserts an entity twice, if it is asked for: the reasons are compared with those of the other kits. */
    @Test
    @EnabledIfEnvironmentVariable(named = "FAIL_ON_PURPOSE", matches = ".+")
    void failsOnPurpose(TabulariumBranch branch) {
        TableClient table = service(branch).createTable("Books");
        table.createEntity(book());
        table.createEntity(book());
    }

    /** Prints the address of the server and ends the process as it is asked to. */
    @Test
    @EnabledIfEnvironmentVariable(named = "END_BY", matches = ".+")
    void ends(TabulariumBranch branch) throws InterruptedException {
        System.out.println("server " + branch.server().url());
        String how = System.getenv("END_BY");
        if (how.equals("exit")) System.exit(3);
        if (how.equals("exception")) throw new IllegalStateException("as asked");
        if (how.equals("wait")) Thread.sleep(60_000);
    }
}
