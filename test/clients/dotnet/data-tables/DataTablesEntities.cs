using System.Text.RegularExpressions;
using Azure;
using Azure.Data.Tables;

namespace Tabularium.Clients;

/// <summary>Entities, answers and rejections of Azure.Data.Tables.</summary>
public static class DataTablesEntities
{
    private static readonly string[] Own = ["PartitionKey", "RowKey", "Timestamp"];

    public static TableEntity Encode(Entity entity)
    {
        var made = new TableEntity(entity.Partition, entity.Row);
        foreach (var (name, value) in entity.Properties) made[name] = value.ToObject();
        return made;
    }

    public static Entity Decode(TableEntity found)
    {
        var entity = new Entity(found.PartitionKey, found.RowKey) { Tag = found.ETag.ToString(), Timestamp = found.Timestamp };
        foreach (var name in found.Keys)
        {
            var content = found[name] is BinaryData bytes ? bytes.ToArray() : found[name];
            if (content != null && !name.StartsWith("odata.", StringComparison.Ordinal) && !Own.Contains(name))
                entity.Properties[name] = Value.FromObject(content);
        }
        return entity;
    }

    public static ETag TagOf(string tag) => tag == null ? ETag.All : new ETag(tag);

    public static TableUpdateMode ModeOf(string mode) => mode == "merge" ? TableUpdateMode.Merge : TableUpdateMode.Replace;

    public static TableTransactionAction ActionOf(Step step)
    {
        var entity = Encode(step.Entity);
        return step.Kind switch
        {
            "insert" => new TableTransactionAction(TableTransactionActionType.Add, entity),
            "merge" => new TableTransactionAction(TableTransactionActionType.UpdateMerge, entity, TagOf(step.Tag)),
            "replace" => new TableTransactionAction(TableTransactionActionType.UpdateReplace, entity, TagOf(step.Tag)),
            "upsert-merge" => new TableTransactionAction(TableTransactionActionType.UpsertMerge, entity),
            "upsert-replace" => new TableTransactionAction(TableTransactionActionType.UpsertReplace, entity),
            _ => new TableTransactionAction(TableTransactionActionType.Delete, entity, TagOf(step.Tag)),
        };
    }

    public static string TagIn(Response answer) => answer.Headers.TryGetValue("ETag", out var tag) ? tag : null;

    /// <summary>The package treats a missing table or entity as deleted, so the status is taken from the answer itself.</summary>
    public static Response Strict(Response answer) =>
        answer.Status < 400 ? answer : throw new Rejected(answer.Status, "ResourceNotFound", -1, null);

    /// <summary>Turns the errors of the package into rejections.</summary>
    public static async Task<T> SentAsync<T>(Func<Task<T>> call)
    {
        try
        {
            return await call();
        }
        catch (RequestFailedException error) when (error.Status >= 400)
        {
            var index = (error as TableTransactionFailedException)?.FailedTransactionActionIndex ?? -1;
            throw new Rejected(error.Status, error.ErrorCode ?? CodeIn(error.Message), index, error);
        }
        catch (ArgumentException error)
        {
            throw new Cannot($"the client rejects it: {error.Message}");
        }
    }

    private static string CodeIn(string message)
    {
        var found = Regex.Match(message, "\"code\":\"([A-Za-z]+)\"|<(?:m:)?[Cc]ode>([A-Za-z]+)");
        if (!found.Success) return null;
        return found.Groups[1].Success ? found.Groups[1].Value : found.Groups[2].Value;
    }
}
