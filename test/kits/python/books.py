"""Requests to the table Books of an account, signed as the service wants it."""

import base64
import hashlib
import hmac
import json
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate


class Books:
    def __init__(self, connection_string):
        fields = dict(part.split("=", 1) for part in connection_string.split(";") if part)
        self.account, self.key, self.endpoint = (fields[name] for name in ("AccountName", "AccountKey", "TableEndpoint"))
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(self, method, path, body=None, etag=None):
        """Returns the status and the ETag of the answer."""
        path = urllib.parse.quote(path, safe="/(),='?$&")
        date = formatdate(usegmt=True)
        text = f"{date}\n/{self.account}/{self.account}{path.split('?')[0]}"
        digest = hmac.new(base64.b64decode(self.key), text.encode(), hashlib.sha256).digest()
        headers = {
            "Authorization": f"SharedKeyLite {self.account}:{base64.b64encode(digest).decode()}",
            "x-ms-date": date,
            "Accept": "application/json;odata=nometadata",
            "Content-Type": "application/json",
            **({"If-Match": etag} if etag else {}),
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.endpoint + path, data, headers, method=method)
        try:
            with self.opener.open(request) as answer:
                return answer.status, answer.headers["ETag"]
        except urllib.error.HTTPError as error:
            return error.code, None

    def create(self):
        assert self.send("POST", "/Tables", {"TableName": "Books"})[0] == 201

    def find(self, row):
        return self.send("GET", f"/Books(PartitionKey='math',RowKey='{row}')")[0]
