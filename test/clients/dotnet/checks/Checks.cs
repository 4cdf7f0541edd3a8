using System.Text.Json;
using System.Text.RegularExpressions;
using Xunit;

namespace Tabularium.Clients;

/// <summary>Checks of one area. A class names the checks of its area in its constructor.</summary>
public abstract class Checks
{
    private static readonly object Gate = new();
    private static int numbers;
    private readonly Dictionary<string, Func<Task>> checks = new();

    protected IDriver Driver { get; } = new ClientDriver();
    protected IClient Client { get; }

    protected Checks() => Client = Driver.Open(Access.Http);

    public TheoryData<string> Ids
    {
        get
        {
            var ids = new TheoryData<string>();
            foreach (var id in checks.Keys) ids.Add(id);
            return ids;
        }
    }

    /// <summary>Runs one check of checks.md and reports its result.</summary>
    public async Task RunAsync(string id)
    {
        try
        {
            await checks[id]();
            Report(id, "held", "");
        }
        catch (Cannot why)
        {
            Report(id, "cannot", why.Message);
        }
        catch (Exception error)
        {
            Report(id, "failed", error.Message);
            throw;
        }
    }

    private void Report(string id, string result, string why)
    {
        var line = JsonSerializer.Serialize(new Dictionary<string, string>
        {
            ["client"] = Driver.Name,
            ["version"] = Driver.Version,
            ["check"] = id,
            ["result"] = result,
            ["why"] = why.Length > 400 ? why.Substring(0, 400) : why,
        });
        lock (Gate) File.AppendAllText(Cases.Variable("TABLES_RESULTS"), line + "\n");
    }

    protected void Check(string id, Func<Task> run) => checks.Add(id, run);

    protected string NewName() => $"{Driver.Prefix}{Interlocked.Increment(ref numbers)}";

    protected async Task<string> NewTableAsync()
    {
        var name = NewName();
        await Client.CreateTableAsync(name);
        return name;
    }

    /// <summary>Runs a call that the service must reject with this status and, unless it is null, this code.</summary>
    protected static async Task<Rejected> RejectedAsync(int status, string code, Func<Task> call)
    {
        Rejected rejection = null;
        try
        {
            await call();
        }
        catch (Rejected error)
        {
            rejection = error;
        }
        Assert.NotNull(rejection);
        Assert.Equal(status, rejection.Status);
        if (code != null) Assert.Equal(code, rejection.Code);
        return rejection;
    }

    protected static async Task<string> RowsAsync(IClient client, string table) =>
        string.Join(" ", (await client.ListAsync(table, Query.All)).Select(one => one.Row));

    protected Task<Entity> ReadAsync(string table) => Client.GetAsync(table, "p", "r", null);

    /// <summary>The instant of a tag: some packages derive the tag of a queried row from its timestamp.</summary>
    protected static DateTimeOffset InstantOf(string tag)
    {
        var text = Regex.Match(Uri.UnescapeDataString(tag), "datetime'([^']+)'").Groups[1].Value;
        return (DateTimeOffset)new Value("DateTime", text).ToObject();
    }
}
