using Xunit;

namespace Tabularium.Clients;

/// <summary>Values, keys, filters and pages.</summary>
public sealed class QueryChecks : Checks
{
    private readonly Lazy<Task<string>> filled;
    private readonly Lazy<Task<string>> many;

    public QueryChecks()
    {
        filled = new Lazy<Task<string>>(FillAsync);
        many = new Lazy<Task<string>>(FillManyAsync);
        foreach (var (id, value) in Cases.Values()) Check(id, () => WriteValueAsync(value));
        foreach (var (id, key) in Cases.Keys()) Check(id, () => UseKeyAsync(key));
        foreach (var (id, filter, found) in Cases.Filters()) Check(id, () => FilterAsync(filter, found));
        Check("filter.invalid", async () =>
        {
            var table = await filled.Value;
            await RejectedAsync(400, "InvalidInput", () => Client.ListAsync(table, new Query("Int eq")));
        });
        Check("filter.select", async () =>
        {
            var query = new Query("PartitionKey eq 'a' and RowKey eq '1'", ["Int"]);
            Assert.Equal("Int=Int32:-5", (await Client.ListAsync(await filled.Value, query))[0].Describe());
        });
        Check("page.default", async () => Assert.Equal("1000 1000 50", await SizesAsync(null)));
        Check("page.all", async () => Assert.Equal(Names(0, 2050), await FoundAsync(null)));
        Check("page.size", async () => Assert.Equal("700 700 650", await SizesAsync(700)));
        Check("page.resume", async () =>
        {
            var table = await many.Value;
            var token = (await Client.PageAsync(table, new Query(Size: 300), null)).Token;
            var page = await Driver.Open(Access.Http).PageAsync(table, new Query(Size: 2), token);
            Assert.Equal(Names(300, 2), string.Join(" ", page.Rows.Select(one => one.Row)));
        });
        Check("page.filter", async () => Assert.Equal("00003 02049", await FoundAsync("N eq 3 or N eq 2049")));
        Check("page.cancel", async () =>
        {
            var table = await many.Value;
            for (var round = 0; round < 3; round++) Assert.Equal("00000", (await Client.FirstAsync(table)).Row);
            Assert.Equal("00007", (await Client.GetAsync(table, "p", "00007", null)).Row);
        });
        Check("page.empty", async () => Assert.Equal("", await FoundAsync("N eq -1")));
    }

    private static string Names(int start, int count) =>
        string.Join(" ", Enumerable.Range(start, count).Select(at => at.ToString("00000")));

    private async Task<string> FillAsync()
    {
        var table = await NewTableAsync();
        foreach (var row in Cases.Rows()) await Client.InsertAsync(table, row);
        return table;
    }

    private async Task<string> FillManyAsync()
    {
        var table = await NewTableAsync();
        for (var start = 0; start < 2050; start += 100)
        {
            var steps = Enumerable.Range(start, Math.Min(100, 2050 - start))
                .Select(at => new Step("insert", Entity.Of("p", at.ToString("00000"), ("N", at))))
                .ToList();
            await Client.TransactionAsync(table, steps);
        }
        return table;
    }

    private async Task WriteValueAsync(Value wanted)
    {
        var table = await NewTableAsync();
        await Client.InsertAsync(table, Entity.Of("p", "r", ("V", wanted)));
        var found = (await ReadAsync(table)).Properties["V"];
        Assert.True(wanted.IsSame(found), found.ToString());
    }

    private async Task UseKeyAsync(string key)
    {
        var table = await NewTableAsync();
        await Client.InsertAsync(table, Entity.Of(key, key, ("A", 1)));
        var read = await Client.GetAsync(table, key, key, null);
        Assert.Equal((key, key), (read.Partition, read.Row));
        await Client.UpdateAsync(table, Entity.Of(key, key, ("B", 2)), "merge", null);
        var quoted = key.Replace("'", "''");
        var list = await Client.ListAsync(table, new Query($"PartitionKey eq '{quoted}' and RowKey eq '{quoted}'"));
        Assert.Equal("A=Int32:1 B=Int32:2", Assert.Single(list).Describe());
        await Client.DeleteAsync(table, key, key, null);
        Assert.Empty(await Client.ListAsync(table, Query.All));
    }

    private async Task FilterAsync(string filter, string found)
    {
        var rows = await Client.ListAsync(await filled.Value, new Query(filter == "" ? null : filter));
        Assert.Equal(found, string.Join(" ", rows.Select(one => one.Partition + one.Row)));
    }

    private async Task<string> SizesAsync(int? size)
    {
        var sizes = new List<int>();
        object token = null;
        do
        {
            var page = await Client.PageAsync(await many.Value, new Query(Size: size), token);
            sizes.Add(page.Rows.Count);
            token = page.Token;
        }
        while (token != null);
        return string.Join(" ", sizes);
    }

    private async Task<string> FoundAsync(string filter) =>
        string.Join(" ", (await Client.ListAsync(await many.Value, new Query(filter))).Select(one => one.Row));
}
