# pip install "testcontainers[azurite]>=4.15" azure-data-tables
from azure.data.tables import TableServiceClient
from testcontainers.community.azurite import AzuriteContainer


def test_fruit():
    with AzuriteContainer("tabularium:full") as storage:
        tables = TableServiceClient.from_connection_string(storage.get_connection_string())
        tables.create_table("Fruit")
