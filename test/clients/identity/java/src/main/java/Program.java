// The unmodified clients with DefaultAzureCredential. The endpoint and everything else comes from the environment.
import com.azure.core.http.policy.FixedDelay;
import com.azure.core.http.policy.RetryPolicy;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.identity.DefaultAzureCredentialBuilder;
import java.time.Duration;
import java.util.List;

public final class Program {
    private Program() {
    }

    public static void main(String[] args) {
        TableServiceClient service = new TableServiceClientBuilder()
            .endpoint(System.getenv("AZURE_TABLES_ENDPOINT"))
            .credential(new DefaultAzureCredentialBuilder().build())
            .retryPolicy(new RetryPolicy(new FixedDelay(0, Duration.ofMillis(1))))
            .buildClient();
        TableClient people = service.getTableClient("People");
        step("create-table", () -> service.createTable("Created"));
        step("insert", () -> people.createEntity(new TableEntity("p", "inserted")));
        step("upsert", () -> people.upsertEntity(new TableEntity("p", "upserted")));
        step("transaction", () -> people.submitTransaction(List.of(create("first"), create("second"))));
        step("list", () -> {
            if (people.listEntities().stream().noneMatch(entity -> entity.getRowKey().equals("r"))) {
                throw new IllegalStateException("the entity is missing");
            }
        });
    }

    private static TableTransactionAction create(String row) {
        return new TableTransactionAction(TableTransactionActionType.CREATE, new TableEntity("p", row));
    }

    private static void step(String name, Runnable run) {
        try {
            run.run();
            System.out.println(name + " ok");
        } catch (TableServiceException rejected) {
            // For a part of a transaction, the client tells only the code.
            int status = rejected.getResponse() == null ? 403 : rejected.getResponse().getStatusCode();
            System.out.println(name + " " + status + " " + rejected.getValue().getErrorCode());
        }
    }
}
