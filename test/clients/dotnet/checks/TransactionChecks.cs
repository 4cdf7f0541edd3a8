using Xunit;

namespace Tabularium.Clients;

/// <summary>Transactions.</summary>
public sealed class TransactionChecks : Checks
{
    public TransactionChecks()
    {
        Check("batch.hundred", async () =>
        {
            var table = await NewTableAsync();
            await Client.TransactionAsync(table, Inserts(100));
            Assert.Equal(string.Join(" ", Inserts(100).Select(one => one.Entity.Row)), await RowsAsync(Client, table));
        });
        Check("batch.mixed", async () =>
        {
            var table = await NewTableAsync();
            foreach (var row in new[] { "merge", "replace", "delete" })
                await Client.InsertAsync(table, Entity.Of("p", row, ("A", 1)));
            var steps = new[] { "insert", "merge", "replace", "upsert-merge", "upsert-replace" }
                .Select(kind => new Step(kind, Entity.Of("p", kind, ("B", 2))))
                .Append(new Step("delete", Entity.Of("p", "delete")))
                .ToList();
            await Client.TransactionAsync(table, steps);
            var found = (await Client.ListAsync(table, Query.All)).Select(one => $"{one.Row}:{one.Properties.Count}");
            Assert.Equal("insert:1 merge:2 replace:1 upsert-merge:1 upsert-replace:1", string.Join(" ", found));
        });
        Check("batch.results", async () =>
        {
            var table = await NewTableAsync();
            var tags = await Client.TransactionAsync(table, Inserts(3));
            var rows = await Client.ListAsync(table, Query.All);
            Assert.Equal(rows.Select(one => InstantOf(one.Tag)).ToList(), tags.Select(InstantOf).ToList());
        });
        FailsAt("batch.index", 3, 1);
        FailsAt("batch.index-last", 100, 99);
        Check("batch.atomic", async () =>
        {
            var table = await NewTableAsync();
            var steps = Inserts(2).Append(new Step("replace", Entity.Of("p", "missing"))).ToList();
            await RejectedAsync(404, "ResourceNotFound", () => Client.TransactionAsync(table, steps));
            Assert.Equal("", await RowsAsync(Client, table));
        });
        Check("batch.duplicate", async () =>
        {
            var table = await NewTableAsync();
            var steps = new List<Step> { new("upsert-merge", Entity.Of("p", "r")), new("upsert-merge", Entity.Of("p", "r")) };
            await RejectedAsync(400, "InvalidDuplicateRow", () => Client.TransactionAsync(table, steps));
        });
        Check("batch.too-many", async () =>
        {
            var table = await NewTableAsync();
            await RejectedAsync(400, null, () => Client.TransactionAsync(table, Inserts(101)));
        });
        Check("batch.partitions", async () =>
        {
            var table = await NewTableAsync();
            var steps = Inserts(1).Append(new Step("insert", Entity.Of("q", "000"))).ToList();
            await RejectedAsync(400, null, () => Client.TransactionAsync(table, steps));
        });
        Check("batch.after-failure", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Entity.Of("p", "000"));
            await RejectedAsync(409, null, () => Client.TransactionAsync(table, Inserts(100)));
            await Client.InsertAsync(table, Entity.Of("p", "after"));
            Assert.Equal("000 after", await RowsAsync(Client, table));
        });
        Check("batch.stale", async () =>
        {
            var table = await NewTableAsync();
            var old = await Client.InsertAsync(table, Entity.Of("p", "x"));
            await Client.UpdateAsync(table, Entity.Of("p", "x", ("A", 1)), "replace", null);
            var steps = Inserts(1).Append(new Step("replace", Entity.Of("p", "x"), old)).ToList();
            var rejection = await RejectedAsync(412, "UpdateConditionNotSatisfied", () => Client.TransactionAsync(table, steps));
            Assert.Equal(1, rejection.Index);
        });
        Check("batch.quote", () => UseKeyAsync("it's"));
        Check("batch.unicode", () => UseKeyAsync("naïve 你好 😀"));
        Check("batch.types", WriteTypesAsync);
        Check("batch.missing-table", () =>
            RejectedAsync(404, "TableNotFound", () => Client.TransactionAsync(NewName(), Inserts(2))));
    }

    private static List<Step> Inserts(int count) => Enumerable.Range(0, count)
        .Select(at => new Step("insert", Entity.Of("p", at.ToString("000"), ("A", at))))
        .ToList();

    private void FailsAt(string id, int count, int index) => Check(id, async () =>
    {
        var table = await NewTableAsync();
        await Client.InsertAsync(table, Entity.Of("p", index.ToString("000")));
        var rejection = await RejectedAsync(409, "EntityAlreadyExists", () => Client.TransactionAsync(table, Inserts(count)));
        Assert.Equal(index, rejection.Index);
    });

    private async Task UseKeyAsync(string key)
    {
        var table = await NewTableAsync();
        await Client.TransactionAsync(
            table, [new Step("insert", Entity.Of(key, key, ("A", 1))), new Step("insert", Entity.Of(key, key + "2"))]);
        await Client.TransactionAsync(
            table, [new Step("merge", Entity.Of(key, key, ("B", 2))), new Step("delete", Entity.Of(key, key + "2"))]);
        var left = Assert.Single(await Client.ListAsync(table, Query.All));
        Assert.Equal((key, "A=Int32:1 B=Int32:2"), (left.Row, left.Describe()));
    }

    private async Task WriteTypesAsync()
    {
        var table = await NewTableAsync();
        var wanted = Cases.Values()
            .Where(one => !one.Id.Contains("long") && Driver.CanWrite(one.Value))
            .ToDictionary(one => one.Id, one => one.Value);
        var steps = wanted.Select(one => new Step("insert", Entity.Of("p", one.Key, ("V", one.Value)))).ToList();
        await Client.TransactionAsync(table, steps);
        var found = await Client.ListAsync(table, Query.All);
        Assert.Equal(wanted.Count, found.Count);
        Assert.Empty(found.Where(one => !wanted[one.Row].IsSame(one.Properties["V"])).Select(one => one.Row));
    }
}
