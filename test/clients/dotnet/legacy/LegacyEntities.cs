using System.Net.Sockets;
using System.Text.RegularExpressions;

namespace Tabularium.Clients;

/// <summary>Entities and rejections of the packages before Azure.Data.Tables.</summary>
public static class LegacyEntities
{
    public static bool IsFinite(Value value) => value.Kind != "Double" || double.IsFinite((double)value.ToObject());

    public static DynamicTableEntity Encode(Entity entity, string tag)
    {
        var made = new DynamicTableEntity(entity.Partition, entity.Row) { ETag = tag };
        foreach (var (name, value) in entity.Properties)
        {
#if COSMOS_TABLE
            if (!IsFinite(value)) throw new Cannot("the client writes NaN and infinities without their type");
#endif
            made.Properties[name] = EntityProperty.CreateEntityPropertyFromObject(value.ToObject());
        }
        return made;
    }

    public static Entity Decode(DynamicTableEntity found)
    {
        var entity = new Entity(found.PartitionKey, found.RowKey) { Tag = found.ETag, Timestamp = found.Timestamp };
        foreach (var (name, property) in found.Properties)
        {
            var content = property.PropertyAsObject;
            if (content != null) entity.Properties[name] = Value.FromObject(content);
        }
        return entity;
    }

    /// <summary>Turns the errors of the package into rejections.</summary>
    public static async Task<T> SentAsync<T>(Func<Task<T>> call)
    {
        try
        {
            return await call();
        }
        catch (StorageException error) when (error.RequestInformation?.HttpStatusCode >= 400)
        {
            var details = error.RequestInformation.ExtendedErrorInformation;
            var index = Regex.Match(details?.ErrorMessage ?? "", "^([0-9]+):");
            throw new Rejected(
                error.RequestInformation.HttpStatusCode, details?.ErrorCode,
                index.Success ? int.Parse(index.Groups[1].Value) : -1, error);
        }
        catch (Exception error) when (error.GetBaseException() is ArgumentException or InvalidOperationException)
        {
            throw new Cannot($"the client rejects it: {error.GetBaseException().Message}");
        }
        catch (StorageException error) when (error.GetBaseException() is SocketException { SocketErrorCode: SocketError.HostNotFound })
        {
            throw new Cannot("the client cannot be given a resolver, and the one of this machine knows no names below localhost");
        }
    }
}
