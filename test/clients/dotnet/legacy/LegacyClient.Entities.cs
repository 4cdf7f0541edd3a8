namespace Tabularium.Clients;

/// <summary>Calls of the packages before Azure.Data.Tables: entities, queries and transactions.</summary>
public sealed partial class LegacyClient
{
    public Task<string> InsertAsync(string table, Entity entity) =>
        WriteAsync(table, () => TableOperation.Insert(LegacyEntities.Encode(entity, null)));

    public async Task<Entity> GetAsync(string table, string partition, string row, string[] select)
    {
        if (select != null) throw new Cannot("the client selects properties only in queries");
        var operation = TableOperation.Retrieve<DynamicTableEntity>(partition, row);
        var result = await LegacyEntities.SentAsync(() => Of(table).ExecuteAsync(operation));
        // A missing entity is a result without an entity here.
        if (result.HttpStatusCode == 404) throw new Rejected(404, "ResourceNotFound", -1, null);
        return LegacyEntities.Decode((DynamicTableEntity)result.Result);
    }

    public Task<string> UpdateAsync(string table, Entity entity, string mode, string tag) => WriteAsync(table, () =>
    {
        var made = LegacyEntities.Encode(entity, tag ?? "*");
        return mode == "merge" ? TableOperation.Merge(made) : TableOperation.Replace(made);
    });

    public Task<string> UpsertAsync(string table, Entity entity, string mode) => WriteAsync(table, () =>
    {
        var made = LegacyEntities.Encode(entity, null);
        return mode == "merge" ? TableOperation.InsertOrMerge(made) : TableOperation.InsertOrReplace(made);
    });

    public Task DeleteAsync(string table, string partition, string row, string tag) =>
        WriteAsync(table, () => TableOperation.Delete(LegacyEntities.Encode(Entity.Of(partition, row), tag ?? "*")));

    private async Task<string> WriteAsync(string table, Func<TableOperation> operation)
    {
        if (isSecondary) throw new Cannot("the client rejects writes to the secondary endpoint");
        var result = await LegacyEntities.SentAsync(() => Of(table).ExecuteAsync(operation()));
        return result.Etag;
    }

    public async Task<List<Entity>> ListAsync(string table, Query query)
    {
        var rows = new List<Entity>();
        object token = null;
        do
        {
            var page = await PageAsync(table, query, token);
            rows.AddRange(page.Rows);
            token = page.Token;
        }
        while (token != null);
        return rows;
    }

    public async Task<Entity> FirstAsync(string table) => (await PageAsync(table, Query.All, null)).Rows[0];

    public async Task<Page> PageAsync(string table, Query query, object token)
    {
        var asked = new TableQuery<DynamicTableEntity>
        {
            FilterString = query.Filter,
            SelectColumns = query.Select,
            TakeCount = query.Size,
        };
        var page = await LegacyEntities.SentAsync(() =>
            Of(table).ExecuteQuerySegmentedAsync(asked, (TableContinuationToken)token));
        return new Page(page.Results.Select(LegacyEntities.Decode).ToList(), page.ContinuationToken);
    }

    public Task<List<string>> TransactionAsync(string table, IReadOnlyList<Step> steps) => LegacyEntities.SentAsync(async () =>
    {
        var batch = new TableBatchOperation();
        foreach (var step in steps)
        {
            var needsTag = step.Kind is "merge" or "replace" or "delete";
            var made = LegacyEntities.Encode(step.Entity, needsTag ? step.Tag ?? "*" : step.Tag);
            switch (step.Kind)
            {
                case "insert": batch.Insert(made); break;
                case "merge": batch.Merge(made); break;
                case "replace": batch.Replace(made); break;
                case "upsert-merge": batch.InsertOrMerge(made); break;
                case "upsert-replace": batch.InsertOrReplace(made); break;
                default: batch.Delete(made); break;
            }
        }
        var results = await Of(table).ExecuteBatchAsync(batch);
        return results.Select(one => one.Etag).ToList();
    });
}
