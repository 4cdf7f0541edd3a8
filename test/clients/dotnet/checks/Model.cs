using System.Globalization;

namespace Tabularium.Clients;

/// <summary>A property: its type without "Edm.", and its text.</summary>
public sealed record Value(string Kind, string Text)
{
    public bool IsSame(Value other)
    {
        if (other is null || Kind != other.Kind) return false;
        return Kind switch
        {
            "Double" => ToDouble(Text).Equals(ToDouble(other.Text)),
            "DateTime" => ToInstant(Text) == ToInstant(other.Text),
            _ => Text == other.Text,
        };
    }

    /// <summary>The value as .NET holds it, which every client takes.</summary>
    public object ToObject() => Kind switch
    {
        "Boolean" => bool.Parse(Text),
        "Int32" => int.Parse(Text, CultureInfo.InvariantCulture),
        "Int64" => long.Parse(Text, CultureInfo.InvariantCulture),
        "Double" => ToDouble(Text),
        "DateTime" => ToInstant(Text),
        "Guid" => Guid.Parse(Text),
        "Binary" => Convert.FromBase64String(Text),
        _ => Text,
    };

    public static Value FromObject(object found) => found switch
    {
        bool flag => new Value("Boolean", flag ? "true" : "false"),
        int number => new Value("Int32", number.ToString(CultureInfo.InvariantCulture)),
        long number => new Value("Int64", number.ToString(CultureInfo.InvariantCulture)),
        double number => new Value("Double", number.ToString("R", CultureInfo.InvariantCulture)),
        DateTimeOffset instant => new Value("DateTime", instant.UtcDateTime.ToString("o", CultureInfo.InvariantCulture)),
        DateTime instant => new Value("DateTime", instant.ToUniversalTime().ToString("o", CultureInfo.InvariantCulture)),
        Guid id => new Value("Guid", id.ToString("D")),
        byte[] bytes => new Value("Binary", Convert.ToBase64String(bytes)),
        _ => new Value("String", (string)found),
    };

    private static double ToDouble(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    private static DateTimeOffset ToInstant(string text) => DateTimeOffset.Parse(text, CultureInfo.InvariantCulture);
}

/// <summary>An entity that is written or read.</summary>
public sealed record Entity(string Partition, string Row)
{
    public SortedDictionary<string, Value> Properties { get; } = new(StringComparer.Ordinal);
    public string Tag { get; init; }
    public DateTimeOffset? Timestamp { get; init; }

    /// <summary>Makes an entity; whole numbers become Int32.</summary>
    public static Entity Of(string partition, string row, params (string Name, object Content)[] properties)
    {
        var entity = new Entity(partition, row);
        foreach (var (name, content) in properties)
            entity.Properties[name] = content as Value ?? Value.FromObject(content);
        return entity;
    }

    public int Number(string name) => (int)Properties[name].ToObject();

    /// <summary>All properties in one text, for comparing.</summary>
    public string Describe() =>
        string.Join(" ", Properties.Select(one => $"{one.Key}={one.Value.Kind}:{one.Value.Text}"));
}

/// <summary>One operation of a transaction: insert, merge, replace, upsert-merge, upsert-replace or delete.</summary>
public sealed record Step(string Kind, Entity Entity, string Tag = null);

/// <summary>What a query asks for.</summary>
public sealed record Query(string Filter = null, string[] Select = null, int? Size = null)
{
    public static readonly Query All = new();
}

/// <summary>A page, and the token of the next one, which is null after the last.</summary>
public sealed record Page(List<Entity> Rows, object Token);

/// <summary>A stored access policy.</summary>
public sealed record Policy(string Rights, DateTimeOffset? Start, DateTimeOffset? Expiry);

/// <summary>Service properties: what logging covers, its days, whether metrics are on, the origins of the CORS rules.</summary>
public sealed record Settings(bool Read, bool Write, bool Delete, int? Days, bool Metrics, string Origins);

/// <summary>How a client reaches the service. The endpoint is the name of a variable.</summary>
public sealed record Access(
    string Endpoint, string Key = null, string Signature = null, string Token = null, bool Trusted = true)
{
    public static readonly Access Http = new("TABLES_ENDPOINT");
    public static readonly Access Secondary = new("TABLES_SECONDARY_ENDPOINT");

    public bool IsConnectionString => Endpoint.EndsWith("CONNECTION_STRING", StringComparison.Ordinal);
}

/// <summary>What a shared access signature allows; without a table it is a signature of the account.</summary>
public sealed record Rights(string Table, string Permissions)
{
    public string Types { get; init; } = "sco";
    public DateTimeOffset? Start { get; init; }
    public DateTimeOffset? Expiry { get; init; } = Cases.Hours(1);
    public string Address { get; init; }
    public bool HttpsOnly { get; init; }
    public string[] Keys { get; init; }
    public string Policy { get; init; }
}

/// <summary>The client cannot express what the check asks for.</summary>
public sealed class Cannot(string why) : Exception(why);

/// <summary>The service rejected a call. The index is -1 if the answer names no operation of a transaction.</summary>
public sealed class Rejected(int status, string code, int index, Exception cause)
    : Exception($"{status} {code}: {cause?.Message}", cause)
{
    public int Status { get; } = status;
    public string Code { get; } = code;
    public int Index { get; } = index;
}
