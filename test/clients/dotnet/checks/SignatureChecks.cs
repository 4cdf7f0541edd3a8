using Xunit;

namespace Tabularium.Clients;

/// <summary>Shared access signatures.</summary>
public sealed partial class SignatureChecks : Checks
{
    private const string Mismatch = "AuthorizationPermissionMismatch";

    public SignatureChecks()
    {
        With("sas.query", "r", async (one, table) =>
        {
            Assert.Equal("a b c", await PartitionsAsync(one, table));
            Assert.Equal("r", (await one.GetAsync(table, "a", "r", null)).Row);
        });
        With("sas.add", "a", async (one, table) =>
        {
            await one.InsertAsync(table, Entity.Of("d", "r"));
            Assert.Equal("a b c d", await PartitionsAsync(Client, table));
        });
        With("sas.update", "u", async (one, table) =>
        {
            await one.UpdateAsync(table, Entity.Of("a", "r", ("A", 2)), "merge", null);
            await one.UpdateAsync(table, Entity.Of("b", "r", ("A", 2)), "replace", null);
            Assert.Equal(2, (await Client.ListAsync(table, new Query("A eq 2"))).Count);
        });
        With("sas.delete", "d", async (one, table) =>
        {
            await one.DeleteAsync(table, "a", "r", null);
            Assert.Equal("b c", await PartitionsAsync(Client, table));
        });
        With("sas.upsert", "au", async (one, table) =>
        {
            await one.UpsertAsync(table, Entity.Of("d", "r"), "merge");
            await one.UpsertAsync(table, Entity.Of("a", "r"), "replace");
            Assert.Equal("a b c d", await PartitionsAsync(Client, table));
        });
        Rejects("sas.no-query", Mismatch, table => new Rights(table, "a"));
        With("sas.no-add", "r", (one, table) =>
            RejectedAsync(403, Mismatch, () => one.InsertAsync(table, Entity.Of("d", "r"))));
        With("sas.no-delete", "rau", (one, table) =>
            RejectedAsync(403, Mismatch, () => one.DeleteAsync(table, "a", "r", null)));
        With("sas.upsert-half", "u", (one, table) =>
            RejectedAsync(403, Mismatch, () => one.UpsertAsync(table, Entity.Of("a", "r"), "merge")));
        With("sas.transaction", "raud", async (one, table) =>
        {
            await one.TransactionAsync(
                table, [new Step("insert", Entity.Of("a", "s")), new Step("delete", Entity.Of("a", "r"))]);
            Assert.Equal("s r r", await RowsAsync(Client, table));
        });
        With("sas.other-table", "raud", async (one, table) =>
        {
            var other = await NewTableAsync();
            await RejectedAsync(403, null, () => one.ListAsync(other, Query.All));
        });
        Rejects("sas.expired", "AuthenticationFailed",
            table => new Rights(table, "raud") { Start = Cases.Hours(-2), Expiry = Cases.Hours(-1) });
        Rejects("sas.early", "AuthenticationFailed",
            table => new Rights(table, "raud") { Start = Cases.Hours(1), Expiry = Cases.Hours(2) });
        Check("sas.tampered", async () =>
        {
            var table = await FilledAsync();
            var text = Driver.Sign(new Rights(table, "r"));
            var changed = text.Replace("sp=r", "sp=raud");
            Assert.NotEqual(text, changed);
            var one = Driver.Open(new Access("TABLES_ENDPOINT", Signature: changed));
            await RejectedAsync(403, "AuthenticationFailed", () => one.ListAsync(table, Query.All));
        });
        WithRights("sas.range-list", table => new Rights(table, "raud") { Keys = ["b", "", "c", "z"] }, async (one, table) =>
            Assert.Equal("b c", await PartitionsAsync(one, table)));
        WithRights("sas.range-write", table => new Rights(table, "raud") { Keys = ["b", "", "c", "z"] }, (one, table) =>
            RejectedAsync(403, "AuthorizationFailure", () => one.InsertAsync(table, Entity.Of("a", "new"))));
        WithRights("sas.address", table => new Rights(table, "raud") { Address = "127.0.0.1" }, async (one, table) =>
            Assert.Equal("a b c", await PartitionsAsync(one, table)));
        Rejects("sas.other-address", "AuthorizationSourceIPMismatch",
            table => new Rights(table, "raud") { Address = "10.0.0.1-10.0.0.9" });
        Rejects("sas.https-only", "AuthorizationProtocolMismatch", table => new Rights(table, "raud") { HttpsOnly = true });
        DefineAccount();
        DefinePolicies();
        DefineService();
    }

    private void DefineAccount()
    {
        Check("sas.account", async () =>
        {
            var one = Signed(new Rights(null, "rwdlacu"));
            var table = NewName();
            await one.CreateTableAsync(table);
            Assert.Contains(await one.TablePagesAsync(null, null), page => page.Contains(table));
        });
        Check("sas.account-entities", async () =>
        {
            var one = Signed(new Rights(null, "rwdlacu"));
            var table = await FilledAsync();
            await one.InsertAsync(table, Entity.Of("d", "r"));
            Assert.Equal("a b c d", await PartitionsAsync(one, table));
        });
        Check("sas.account-no-type", async () =>
        {
            var one = Signed(new Rights(null, "rwdlacu") { Types = "s" });
            var table = await FilledAsync();
            await RejectedAsync(403, "AuthorizationResourceTypeMismatch", () => one.ListAsync(table, Query.All));
        });
        Check("sas.account-no-right", async () =>
        {
            var one = Signed(new Rights(null, "r"));
            var table = await FilledAsync();
            await RejectedAsync(403, Mismatch, () => one.InsertAsync(table, Entity.Of("d", "r")));
        });
    }

    private async Task<string> FilledAsync()
    {
        var table = await NewTableAsync();
        foreach (var partition in new[] { "a", "b", "c" })
            await Client.InsertAsync(table, Entity.Of(partition, "r", ("A", 1)));
        return table;
    }

    private static async Task<string> PartitionsAsync(IClient one, string table) =>
        string.Join(" ", (await one.ListAsync(table, Query.All)).Select(row => row.Partition));

    private IClient Signed(Rights rights) => Driver.Open(new Access("TABLES_ENDPOINT", Signature: Driver.Sign(rights)));

    /// <summary>Runs a check with a filled table, and a client whose signature has these rights.</summary>
    private void WithRights(string id, Func<string, Rights> rights, Func<IClient, string, Task> use) => Check(id, async () =>
    {
        var table = await FilledAsync();
        await use(Signed(rights(table)), table);
    });

    private void With(string id, string permissions, Func<IClient, string, Task> use) =>
        WithRights(id, table => new Rights(table, permissions), use);

    private void Rejects(string id, string code, Func<string, Rights> rights) =>
        WithRights(id, rights, (one, table) => RejectedAsync(403, code, () => one.ListAsync(table, Query.All)));
}
