using Xunit;

namespace Tabularium.Clients;

/// <summary>Entities and their tags.</summary>
public sealed class EntityChecks : Checks
{
    public EntityChecks()
    {
        Check("entity.insert", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Entity.Of("p", "r", ("A", 1), ("B", "two")));
            var found = await ReadAsync(table);
            Assert.Equal(("p", "r", "A=Int32:1 B=String:two"), (found.Partition, found.Row, found.Describe()));
        });
        Check("entity.insert-twice", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Ab());
            await RejectedAsync(409, "EntityAlreadyExists", () => Client.InsertAsync(table, Ab()));
        });
        Check("entity.get-missing", async () =>
        {
            var table = await NewTableAsync();
            await RejectedAsync(404, "ResourceNotFound", () => ReadAsync(table));
        });
        Check("entity.get-select", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Ab());
            Assert.Equal("A=Int32:1", (await Client.GetAsync(table, "p", "r", ["A"])).Describe());
        });
        Updates("entity.replace", "replace", "B=Int32:3");
        Updates("entity.merge", "merge", "A=Int32:1 B=Int32:3");
        MissingUpdate("entity.replace-missing", "replace");
        MissingUpdate("entity.merge-missing", "merge");
        Upserts("entity.upsert-replace-new", "replace", false, "B=Int32:3");
        Upserts("entity.upsert-replace-old", "replace", true, "B=Int32:3");
        Upserts("entity.upsert-merge-new", "merge", false, "B=Int32:3");
        Upserts("entity.upsert-merge-old", "merge", true, "A=Int32:1 B=Int32:3");
        Check("entity.delete", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Ab());
            await Client.DeleteAsync(table, "p", "r", null);
            await RejectedAsync(404, "ResourceNotFound", () => ReadAsync(table));
        });
        Check("entity.delete-missing", async () =>
        {
            var table = await NewTableAsync();
            await RejectedAsync(404, "ResourceNotFound", () => Client.DeleteAsync(table, "p", "r", null));
        });
        Check("entity.timestamp", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Ab());
            var age = DateTimeOffset.UtcNow - (await ReadAsync(table)).Timestamp.Value;
            Assert.True(age.Duration() < TimeSpan.FromHours(1), age.ToString());
        });
        Check("entity.no-properties", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Entity.Of("p", "r"));
            Assert.Equal("", (await ReadAsync(table)).Describe());
        });
        Check("entity.many-properties", async () =>
        {
            var table = await NewTableAsync();
            await Client.InsertAsync(table, Many(252, 1));
            Assert.Equal(Many(252, 1).Describe(), (await ReadAsync(table)).Describe());
        });
        Rejects("entity.too-many-properties", "TooManyProperties", Many(253, 1));
        Rejects("entity.too-large", "EntityTooLarge", Many(17, new string('x', 32_000)));
        Rejects("entity.large-property", "PropertyValueTooLarge", Many(1, new string('x', 32_769)));
        Rejects("entity.property-name", "PropertyNameInvalid", Entity.Of("p", "r", ("a-b", 1)));
        Rejects("entity.long-key", null, Entity.Of(new string('p', 513), "r"));

        Check("tag.insert", async () =>
        {
            var table = await NewTableAsync();
            Assert.Equal(InstantOf(await Client.InsertAsync(table, Ab())), InstantOf((await ReadAsync(table)).Tag));
        });
        Check("tag.changes", async () =>
        {
            var table = await NewTableAsync();
            var tags = new HashSet<string>
            {
                await Client.InsertAsync(table, Ab()),
                await Client.UpdateAsync(table, Ab(), "replace", null),
                await Client.UpdateAsync(table, Ab(), "merge", null),
                await Client.UpsertAsync(table, Ab(), "replace"),
            };
            Assert.Equal(4, tags.Count);
        });
        Tags("tag.replace", "tag.stale-replace", "replace");
        Tags("tag.merge", "tag.stale-merge", "merge");
        Check("tag.delete", async () =>
        {
            var table = await NewTableAsync();
            await Client.DeleteAsync(table, "p", "r", await Client.InsertAsync(table, Ab()));
            Assert.Equal("", await RowsAsync(Client, table));
        });
        Check("tag.stale-delete", async () =>
        {
            var table = await NewTableAsync();
            var old = await Client.InsertAsync(table, Ab());
            await Client.UpdateAsync(table, Ab(), "replace", null);
            await RejectedAsync(412, "UpdateConditionNotSatisfied", () => Client.DeleteAsync(table, "p", "r", old));
        });
    }

    private static Entity Ab() => Entity.Of("p", "r", ("A", 1), ("B", 2));

    private static Entity B3() => Entity.Of("p", "r", ("B", 3));

    private static Entity Many(int count, object content)
    {
        var entity = new Entity("p", "r");
        for (var at = 0; at < count; at++) entity.Properties[$"P{at}"] = Value.FromObject(content);
        return entity;
    }

    private void Updates(string id, string mode, string after) => Check(id, async () =>
    {
        var table = await NewTableAsync();
        await Client.InsertAsync(table, Ab());
        await Client.UpdateAsync(table, B3(), mode, null);
        Assert.Equal(after, (await ReadAsync(table)).Describe());
    });

    private void MissingUpdate(string id, string mode) => Check(id, async () =>
    {
        var table = await NewTableAsync();
        await RejectedAsync(404, "ResourceNotFound", () => Client.UpdateAsync(table, Ab(), mode, null));
    });

    private void Upserts(string id, string mode, bool exists, string after) => Check(id, async () =>
    {
        var table = await NewTableAsync();
        if (exists) await Client.InsertAsync(table, Entity.Of("p", "r", ("A", 1)));
        await Client.UpsertAsync(table, B3(), mode);
        Assert.Equal(after, (await ReadAsync(table)).Describe());
    });

    private void Rejects(string id, string code, Entity entity) => Check(id, async () =>
    {
        var table = await NewTableAsync();
        await RejectedAsync(400, code, () => Client.InsertAsync(table, entity));
    });

    private void Tags(string current, string stale, string mode)
    {
        Check(current, async () =>
        {
            var table = await NewTableAsync();
            var tag = await Client.InsertAsync(table, Entity.Of("p", "r", ("B", 1)));
            await Client.UpdateAsync(table, B3(), mode, tag);
            Assert.Equal("B=Int32:3", (await ReadAsync(table)).Describe());
        });
        Check(stale, async () =>
        {
            var table = await NewTableAsync();
            var old = await Client.InsertAsync(table, Ab());
            await Client.UpdateAsync(table, Ab(), "replace", null);
            await RejectedAsync(412, "UpdateConditionNotSatisfied", () => Client.UpdateAsync(table, B3(), mode, old));
        });
    }
}
