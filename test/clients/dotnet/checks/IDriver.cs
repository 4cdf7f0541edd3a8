namespace Tabularium.Clients;

/// <summary>One unmodified client. Each project has a class ClientDriver with this interface.</summary>
public interface IDriver
{
    string Name { get; }
    string Version { get; }

    /// <summary>The start of the names of its tables.</summary>
    string Prefix { get; }

    /// <summary>Whether the client writes a value with its type.</summary>
    bool CanWrite(Value value);

    IClient Open(Access access);

    /// <summary>A client whose statistics come from the secondary endpoint.</summary>
    IClient OpenStatistics();

    string Sign(Rights rights);
}

/// <summary>The calls of a client. Each throws Rejected for a rejection of the service.</summary>
public interface IClient
{
    Task CreateTableAsync(string table);
    Task DeleteTableAsync(string table);
    Task<List<List<string>>> TablePagesAsync(string filter, int? size);
    Task<string> InsertAsync(string table, Entity entity);
    Task<Entity> GetAsync(string table, string partition, string row, string[] select);

    /// <summary>Mode is merge or replace; without a tag it is the tag for any version.</summary>
    Task<string> UpdateAsync(string table, Entity entity, string mode, string tag);
    Task<string> UpsertAsync(string table, Entity entity, string mode);
    Task DeleteAsync(string table, string partition, string row, string tag);
    Task<List<Entity>> ListAsync(string table, Query query);

    /// <summary>Reads one entity of a query and abandons the rest.</summary>
    Task<Entity> FirstAsync(string table);
    Task<Page> PageAsync(string table, Query query, object token);
    Task<List<string>> TransactionAsync(string table, IReadOnlyList<Step> steps);
    Task<Dictionary<string, Policy>> PoliciesAsync(string table);
    Task SetPoliciesAsync(string table, IReadOnlyDictionary<string, Policy> policies);
    Task SetSettingsAsync(int? days, IReadOnlyList<string> origins);
    Task<Settings> SettingsAsync();
    Task<string> StatisticsAsync();
}
