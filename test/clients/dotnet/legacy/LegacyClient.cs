namespace Tabularium.Clients;

/// <summary>Calls of the packages before Azure.Data.Tables: tables, policies and the service.</summary>
public sealed partial class LegacyClient(CloudTableClient service, bool isSecondary) : IClient
{
    private CloudTable Of(string table) => service.GetTableReference(table);

    public Task CreateTableAsync(string table) => LegacyEntities.SentAsync(async () =>
    {
        await Of(table).CreateAsync();
        return table;
    });

    public Task DeleteTableAsync(string table) => LegacyEntities.SentAsync(async () =>
    {
        await Of(table).DeleteAsync();
        return table;
    });

    public async Task<List<List<string>>> TablePagesAsync(string filter, int? size)
    {
        if (filter != null) throw new Cannot("the client lists tables by prefix, without a filter");
        return await LegacyEntities.SentAsync(async () =>
        {
            var pages = new List<List<string>>();
            TableContinuationToken token = null;
            do
            {
                var page = await service.ListTablesSegmentedAsync(token);
                pages.Add(page.Results.Select(one => one.Name).ToList());
                token = page.ContinuationToken;
            }
            while (token != null);
            return pages;
        });
    }

    public async Task<Dictionary<string, Policy>> PoliciesAsync(string table)
    {
        var permissions = await LegacyEntities.SentAsync(() => Of(table).GetPermissionsAsync());
        var policies = new Dictionary<string, Policy>();
        foreach (var one in permissions.SharedAccessPolicies)
        {
            var rights = SharedAccessTablePolicy.PermissionsToString(one.Value.Permissions);
            policies[one.Key] = new Policy(rights, one.Value.SharedAccessStartTime, one.Value.SharedAccessExpiryTime);
        }
        return policies;
    }

    public Task SetPoliciesAsync(string table, IReadOnlyDictionary<string, Policy> policies)
    {
        var permissions = new TablePermissions();
        foreach (var (id, policy) in policies)
        {
            permissions.SharedAccessPolicies.Add(id, new SharedAccessTablePolicy
            {
                Permissions = SharedAccessTablePolicy.PermissionsFromString(policy.Rights),
                SharedAccessStartTime = policy.Start,
                SharedAccessExpiryTime = policy.Expiry,
            });
        }
        return LegacyEntities.SentAsync(async () =>
        {
            await Of(table).SetPermissionsAsync(permissions);
            return table;
        });
    }

    public Task SetSettingsAsync(int? days, IReadOnlyList<string> origins) => LegacyEntities.SentAsync(async () =>
    {
        var made = new ServiceProperties
        {
            Logging = new LoggingProperties
            {
                LoggingOperations = LoggingOperations.Read | LoggingOperations.Write,
                RetentionDays = days,
            },
            HourMetrics = new MetricsProperties { MetricsLevel = MetricsLevel.ServiceAndApi, RetentionDays = days },
            Cors = new CorsProperties(),
        };
        foreach (var origin in origins)
        {
            made.Cors.CorsRules.Add(new CorsRule
            {
                AllowedOrigins = new List<string> { origin },
                AllowedMethods = CorsHttpMethods.Get,
                MaxAgeInSeconds = 60,
            });
        }
        await service.SetServicePropertiesAsync(made);
        return made;
    });

    public async Task<Settings> SettingsAsync()
    {
        var found = await LegacyEntities.SentAsync(() => service.GetServicePropertiesAsync());
        var covers = found.Logging.LoggingOperations;
        return new Settings(
            covers.HasFlag(LoggingOperations.Read), covers.HasFlag(LoggingOperations.Write),
            covers.HasFlag(LoggingOperations.Delete),
            found.Logging.RetentionDays, found.HourMetrics.MetricsLevel != MetricsLevel.None,
            string.Join(" ", found.Cors.CorsRules.SelectMany(rule => rule.AllowedOrigins)));
    }

    public async Task<string> StatisticsAsync()
    {
        var found = await LegacyEntities.SentAsync(() => service.GetServiceStatsAsync());
        return found.GeoReplication.Status.ToString().ToLowerInvariant();
    }
}
