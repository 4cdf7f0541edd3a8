using System.Diagnostics;
using Azure;
using Azure.Data.Tables;
using NUnit.Framework;
using Tabularium.Testing;

[assembly: LevelOfParallelism(16)]

[SetUpFixture]
public sealed class Arguments
{
    [OneTimeSetUp]
    public void Use()
    {
        var words = Environment.GetEnvironmentVariable("KIT_ARGUMENTS") ?? "";
        TabulariumServer.SharedOptions.Arguments = words.Split(' ', StringSplitOptions.RemoveEmptyEntries);
    }
}

public sealed class ParallelTests : BranchPerTest
{
    [Test]
    public async Task HaveAccountsAndReasonsOfTheirOwn([Range(1, 64)] int number)
    {
        var table = new TableClient(Branch.ConnectionString, $"Books{number}");
        await table.CreateAsync();
        await table.AddEntityAsync(new TableEntity("math", "1"));
        Assert.ThrowsAsync<RequestFailedException>(() => table.AddEntityAsync(new TableEntity("math", "1")));
        var reasons = await Branch.ExplainAsync();
        Assert.That(reasons.Split("POST /Books"), Has.Length.EqualTo(2), reasons);
        Assert.That(reasons, Does.Contain($"POST /Books{number}\n"));
    }

    [Test]
    public async Task StartFromASnapshot()
    {
        await new TableClient(Branch.ConnectionString, "Books").CreateAsync();
        await Branch.Server.SnapshotAsync("one-table", Branch.Account);
        await using var copy = await Branch.Server.CreateBranchAsync("copy", "one-table");
        Assert.That(new TableServiceClient(copy.ConnectionString).Query().Count(), Is.EqualTo(1));
    }
}

public sealed class FailingTests : BranchPerTest
{
    /// <summary>Fails if it is asked for: its output is compared with that of the other kits.</summary>
    [Test]
    public async Task UpdatesWithAnOldETag()
    {
        if (Environment.GetEnvironmentVariable("KIT_ARGUMENTS") is null) Assert.Ignore("It fails on purpose.");
        var table = new TableClient(Branch.ConnectionString, "Books");
        await table.CreateAsync();
        var book = new TableEntity("math", "1") { ["Title"] = "Notes" };
        var old = (await table.AddEntityAsync(book)).Headers.ETag!.Value;
        await table.UpdateEntityAsync(book, old);
        _ = table.Query<TableEntity>("PartitionKey eq 'math' or PartitionKey eq 'art'").ToList();
        await table.UpdateEntityAsync(book, old);
    }

    /// <summary>Writes the address of the server to a file, and ends the process as it is asked to.</summary>
    [Test]
    public void Ends()
    {
        var file = Environment.GetEnvironmentVariable("KIT_FILE");
        if (file is null) Assert.Ignore("It ends the process.");
        File.WriteAllText(file!, Branch.Server.Url.ToString());
        switch (Environment.GetEnvironmentVariable("KIT_END"))
        {
            case "exit": Environment.Exit(3); break;
            case "exception": throw new InvalidOperationException("as asked");
            case "kill": Process.GetCurrentProcess().Kill(); break;
        }
    }
}
