from azure.data.tables import TableServiceClient
from testcontainers.community.azurite import AzuriteContainer


def test_reads_what_it_wrote():
    with AzuriteContainer("tabularium:full") as storage:
        service = TableServiceClient.from_connection_string(storage.get_connection_string())
        table = service.create_table("Fruit")
        table.create_entity({"PartitionKey": "citrus", "RowKey": "lemon", "Color": "yellow"})
        assert table.get_entity("citrus", "lemon")["Color"] == "yellow"
