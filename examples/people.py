# Adds a person to the table "people", then prints the table.
#   pip install azure-data-tables && python examples/people.py Grace 1906
import os
import sys

from azure.data.tables import TableServiceClient

connection = os.environ.get("AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true")
name, born = sys.argv[1:] or ("Grace", 1906)

table = TableServiceClient.from_connection_string(connection).create_table_if_not_exists("people")
table.upsert_entity({"PartitionKey": "people", "RowKey": name, "born": int(born)})
for person in table.list_entities():
    print(f"{person['RowKey']}, born {person['born']}")
