// org.testcontainers:testcontainers-azure and com.azure:azure-data-tables
import com.azure.data.tables.TableServiceClientBuilder;
import org.testcontainers.azure.AzuriteContainer;
import org.testcontainers.utility.DockerImageName;

class Java {
    public static void main(String[] arguments) {
        var image = DockerImageName.parse("tabularium:full")
            .asCompatibleSubstituteFor("mcr.microsoft.com/azure-storage/azurite");
        try (var storage = new AzuriteContainer(image)) {
            storage.start();
            var tables = new TableServiceClientBuilder()
                .connectionString(storage.getConnectionString())
                .buildClient();
            tables.createTable("Fruit");
        }
    }
}
