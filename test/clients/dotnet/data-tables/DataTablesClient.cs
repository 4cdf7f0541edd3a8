using Azure;
using Azure.Data.Tables;
using Azure.Data.Tables.Models;
using static Tabularium.Clients.DataTablesEntities;

namespace Tabularium.Clients;

/// <summary>Calls of Azure.Data.Tables.</summary>
public sealed class DataTablesClient(TableServiceClient service) : IClient
{
    private TableClient Of(string table) => service.GetTableClient(table);

    public Task CreateTableAsync(string table) => SentAsync(() => service.CreateTableAsync(table));

    public Task DeleteTableAsync(string table) =>
        SentAsync(async () => Strict(await service.DeleteTableAsync(table)));

    public Task<List<List<string>>> TablePagesAsync(string filter, int? size) => SentAsync(async () =>
    {
        var pages = new List<List<string>>();
        await foreach (var page in service.QueryAsync(filter, size).AsPages())
            pages.Add(page.Values.Select(one => one.Name).ToList());
        return pages;
    });

    public Task<string> InsertAsync(string table, Entity entity) => SentAsync(async () =>
        TagIn(await Of(table).AddEntityAsync(Encode(entity))));

    public Task<Entity> GetAsync(string table, string partition, string row, string[] select) =>
        SentAsync(async () =>
        {
            var answer = await Of(table).GetEntityAsync<TableEntity>(partition, row, select);
            return Decode(answer.Value);
        });

    public Task<string> UpdateAsync(string table, Entity entity, string mode, string tag) => SentAsync(async () =>
    {
        var made = Encode(entity);
        var answer = await Of(table).UpdateEntityAsync(made, TagOf(tag), ModeOf(mode));
        return TagIn(answer);
    });

    public Task<string> UpsertAsync(string table, Entity entity, string mode) => SentAsync(async () =>
    {
        var made = Encode(entity);
        return TagIn(await Of(table).UpsertEntityAsync(made, ModeOf(mode)));
    });

    public Task DeleteAsync(string table, string partition, string row, string tag) =>
        SentAsync(async () => Strict(await Of(table).DeleteEntityAsync(partition, row, TagOf(tag))));

    private AsyncPageable<TableEntity> Ask(string table, Query query) =>
        Of(table).QueryAsync<TableEntity>(query.Filter, query.Size, query.Select);

    public Task<List<Entity>> ListAsync(string table, Query query) => SentAsync(async () =>
    {
        var rows = new List<Entity>();
        await foreach (var row in Ask(table, query)) rows.Add(Decode(row));
        return rows;
    });

    public Task<Entity> FirstAsync(string table) => SentAsync(async () =>
    {
        Entity first = null;
        await foreach (var row in Ask(table, Query.All))
        {
            first = Decode(row);
            break;
        }
        return first;
    });

    public Task<Page> PageAsync(string table, Query query, object token) => SentAsync(async () =>
    {
        Page first = null;
        await foreach (var page in Ask(table, query).AsPages((string)token))
        {
            var next = string.IsNullOrEmpty(page.ContinuationToken) ? null : page.ContinuationToken;
            first = new Page(page.Values.Select(Decode).ToList(), next);
            break;
        }
        return first;
    });

    public Task<List<string>> TransactionAsync(string table, IReadOnlyList<Step> steps) => SentAsync(async () =>
    {
        var answer = await Of(table).SubmitTransactionAsync(steps.Select(ActionOf).ToList());
        return answer.Value.Select(TagIn).ToList();
    });

    public async Task<Dictionary<string, Policy>> PoliciesAsync(string table)
    {
        var answer = await SentAsync(() => Of(table).GetAccessPoliciesAsync());
        return answer.Value.ToDictionary(
            one => one.Id,
            one => new Policy(one.AccessPolicy.Permission, one.AccessPolicy.StartsOn, one.AccessPolicy.ExpiresOn));
    }

    public Task SetPoliciesAsync(string table, IReadOnlyDictionary<string, Policy> policies)
    {
        var identifiers = policies
            .Select(one => new TableSignedIdentifier(
                one.Key, new TableAccessPolicy(one.Value.Start, one.Value.Expiry, one.Value.Rights)))
            .ToList();
        return SentAsync(() => Of(table).SetAccessPolicyAsync(identifiers));
    }

    public Task SetSettingsAsync(int? days, IReadOnlyList<string> origins)
    {
        var retention = new TableRetentionPolicy(days != null) { Days = days };
        var made = new TableServiceProperties
        {
            Logging = new TableAnalyticsLoggingSettings("1.0", delete: false, read: true, write: true, retention),
            HourMetrics = new TableMetrics(true) { Version = "1.0", IncludeApis = true, RetentionPolicy = retention },
        };
        foreach (var origin in origins) made.Cors.Add(new TableCorsRule(origin, "GET", "", "", 60));
        return SentAsync(() => service.SetPropertiesAsync(made));
    }

    public async Task<Settings> SettingsAsync()
    {
        var found = (await SentAsync(() => service.GetPropertiesAsync())).Value;
        return new Settings(
            found.Logging.Read, found.Logging.Write, found.Logging.Delete, found.Logging.RetentionPolicy.Days,
            found.HourMetrics.Enabled, string.Join(" ", found.Cors.Select(rule => rule.AllowedOrigins)));
    }

    public async Task<string> StatisticsAsync() =>
        (await SentAsync(() => service.GetStatisticsAsync())).Value.GeoReplication.Status.ToString();
}
