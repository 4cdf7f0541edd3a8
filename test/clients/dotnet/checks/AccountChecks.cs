using System.Text;
using Xunit;

namespace Tabularium.Clients;

/// <summary>Accounts, addresses, tokens and tables.</summary>
public sealed class AccountChecks : Checks
{
    public AccountChecks()
    {
        Check("auth.shared-key", () => WriteAndReadAsync(Access.Http));
        Check("auth.connection-string", () => WriteAndReadAsync(new Access("TABLES_CONNECTION_STRING")));
        Check("auth.wrong-key", async () =>
        {
            var key = Convert.ToBase64String(Encoding.UTF8.GetBytes("another key"));
            var one = Driver.Open(new Access("TABLES_ENDPOINT", Key: key));
            await RejectedAsync(403, "AuthenticationFailed", () => one.TablePagesAsync(null, null));
        });
        Check("auth.host-style", () => WriteAndReadAsync(new Access("TABLES_HOST_ENDPOINT")));
        Check("auth.host-style-transaction", () => WriteTogetherAsync(new Access("TABLES_HOST_ENDPOINT")));
        Check("auth.secondary-read", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Entity.Of("p", "r", ("A", 1)));
            Assert.Equal(1, (await Driver.Open(Access.Secondary).GetAsync(table, "p", "r", null)).Number("A"));
        });
        Check("auth.secondary-write", async () =>
        {
            var table = await NewTableAsync();
            var one = Driver.Open(Access.Secondary);
            await RejectedAsync(403, "InsufficientAccountPermissions", () => one.InsertAsync(table, Entity.Of("p", "r")));
        });
        Check("auth.https", () => WriteAndReadAsync(new Access("TABLES_HTTPS_ENDPOINT")));
        Check("auth.https-transaction", () => WriteTogetherAsync(new Access("TABLES_HTTPS_ENDPOINT")));
        Check("auth.https-untrusted", async () =>
        {
            var one = Driver.Open(new Access("TABLES_HTTPS_ENDPOINT", Trusted: false));
            var error = await Assert.ThrowsAnyAsync<Exception>(() => one.TablePagesAsync(null, null));
            if (error is Cannot) throw error;
            Assert.Contains("AuthenticationException", error.ToString());
        });
        Check("auth.bearer", () => WriteAndReadAsync(Bearer("TABLES_TOKEN")));
        Check("auth.bearer-transaction", () => WriteTogetherAsync(Bearer("TABLES_TOKEN")));
        Check("auth.bearer-expired", async () =>
        {
            var one = Driver.Open(Bearer("TABLES_EXPIRED_TOKEN"));
            var rejection = await Assert.ThrowsAsync<Rejected>(() => one.TablePagesAsync(null, null));
            Assert.True(rejection.Status is 401 or 403, rejection.Message);
        });

        Check("table.create", async () =>
        {
            var table = await NewTableAsync();
            Assert.Contains(table, await NamesAsync(null));
        });
        Check("table.create-twice", async () =>
        {
            var table = await NewTableAsync();
            await RejectedAsync(409, "TableAlreadyExists", () => Client.CreateTableAsync(table));
        });
        Check("table.create-case", async () =>
        {
            var table = await NewTableAsync();
            await RejectedAsync(409, "TableAlreadyExists", () => Client.CreateTableAsync(table.ToUpperInvariant()));
        });
        Check("table.invalid-name", () => RejectedAsync(400, null, () => Client.CreateTableAsync("a-b")));
        Check("table.delete", async () =>
        {
            var table = await NewTableAsync();
            await Client.DeleteTableAsync(table);
            Assert.DoesNotContain(table, await NamesAsync(null));
        });
        Check("table.delete-missing", () =>
            RejectedAsync(404, "ResourceNotFound", () => Client.DeleteTableAsync(NewName())));
        Check("table.recreate", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Entity.Of("p", "r"));
            await Client.DeleteTableAsync(table);
            await Client.CreateTableAsync(table);
            Assert.Equal("", await RowsAsync(Client, table));
        });
        Check("table.filter", async () =>
        {
            var table = await NewTableAsync();
            Assert.Equal(table, string.Join(" ", await NamesAsync($"TableName eq '{table}'")));
        });
        Check("table.pages", async () =>
        {
            var prefix = "pages" + Driver.Prefix;
            for (var at = 1; at <= 5; at++) await Client.CreateTableAsync(prefix + at);
            var pages = await Client.TablePagesAsync($"TableName ge '{prefix}' and TableName lt '{prefix}z'", 2);
            Assert.Equal("2 2 1", string.Join(" ", pages.Select(page => page.Count)));
        });
        Check("table.missing", () =>
            RejectedAsync(404, "TableNotFound", () => Client.InsertAsync(NewName(), Entity.Of("p", "r"))));
    }

    private static Access Bearer(string token) => new("TABLES_HTTPS_ENDPOINT", Token: Cases.Variable(token));

    private async Task WriteAndReadAsync(Access access)
    {
        var one = Driver.Open(access);
        var table = NewName();
        await one.CreateTableAsync(table);
        await one.InsertAsync(table, Entity.Of("p", "r", ("A", 1)));
        Assert.Equal(1, (await one.GetAsync(table, "p", "r", null)).Number("A"));
    }

    private async Task WriteTogetherAsync(Access access)
    {
        var one = Driver.Open(access);
        var table = NewName();
        await one.CreateTableAsync(table);
        await one.TransactionAsync(
            table, [new Step("insert", Entity.Of("p", "1")), new Step("insert", Entity.Of("p", "2"))]);
        Assert.Equal("1 2", await RowsAsync(one, table));
    }

    private async Task<List<string>> NamesAsync(string filter) =>
        (await Client.TablePagesAsync(filter, null)).SelectMany(page => page).ToList();
}
