import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import org.junit.jupiter.api.Test;
import org.testcontainers.azure.AzuriteContainer;
import org.testcontainers.utility.DockerImageName;

class FruitTest {
    private static final DockerImageName IMAGE = DockerImageName.parse("tabularium:full")
        .asCompatibleSubstituteFor("mcr.microsoft.com/azure-storage/azurite");

    @Test
    void readsWhatItWrote() {
        try (var storage = new AzuriteContainer(IMAGE)) {
            storage.start();
            var service = new TableServiceClientBuilder()
                .connectionString(storage.getConnectionString())
                .buildClient();
            var table = service.createTable("Fruit");
            table.createEntity(new TableEntity("citrus", "lemon").addProperty("Color", "yellow"));
            assertEquals("yellow", table.getEntity("citrus", "lemon").getProperty("Color"));
        }
    }
}
