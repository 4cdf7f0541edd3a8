using System.Text.Json;

namespace Tabularium.Clients;

/// <summary>The values, keys, rows and filters of cases.json, and the variables of the runner.</summary>
public static class Cases
{
    private static readonly JsonElement All =
        JsonDocument.Parse(File.ReadAllText(Variable("TABLES_CASES"))).RootElement;

    public static string Variable(string name) =>
        Environment.GetEnvironmentVariable(name)
        ?? throw new InvalidOperationException($"{name} is not set: use npm run clients -- dotnet");

    public static IEnumerable<(string Id, Value Value)> Values() =>
        All.GetProperty("values").EnumerateObject()
            .Select(one => (one.Name, new Value(one.Value[0].GetString(), Expand(one.Value[1]))));

    public static IEnumerable<(string Id, string Key)> Keys() =>
        All.GetProperty("keys").EnumerateObject().Select(one => (one.Name, Expand(one.Value)));

    public static IEnumerable<(string Id, string Filter, string Found)> Filters() =>
        All.GetProperty("filters").EnumerateObject()
            .Select(one => (one.Name, one.Value[0].GetString(), one.Value[1].GetString()));

    public static IEnumerable<Entity> Rows()
    {
        var columns = All.GetProperty("columns").EnumerateObject().ToList();
        foreach (var row in All.GetProperty("rows").EnumerateArray())
        {
            var entity = new Entity(row[0].GetString(), row[1].GetString());
            for (var at = 0; at < columns.Count; at++)
                entity.Properties[columns[at].Name] = new Value(columns[at].Value.GetString(), row[at + 2].GetString());
            yield return entity;
        }
    }

    /// <summary>A whole second, this many hours from now.</summary>
    public static DateTimeOffset Hours(int count) =>
        DateTimeOffset.FromUnixTimeSeconds(DateTimeOffset.UtcNow.AddHours(count).ToUnixTimeSeconds());

    private static string Expand(JsonElement value) => value.ValueKind == JsonValueKind.String
        ? value.GetString()
        : string.Concat(Enumerable.Repeat(
            value.GetProperty("repeat").GetString(), value.GetProperty("times").GetInt32()));
}
