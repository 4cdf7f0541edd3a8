from books import Books


def test_updates_with_an_old_etag(tabularium):
    books = Books(tabularium.connection_string)
    books.create()
    path = "/Books(PartitionKey='math',RowKey='1')"
    _, etag = books.send("POST", "/Books", {"PartitionKey": "math", "RowKey": "1"})
    assert books.send("PATCH", path, {"Title": "Elements"}, etag)[0] == 204
    books.send("GET", "/Books()?$filter=PartitionKey eq 'math' or PartitionKey eq 'art'")
    status, _ = books.send("PATCH", path, {"Title": "Conics"}, etag)
    assert status == 204
