using Azure.Data.Tables;
using Testcontainers.Azurite;
using Xunit;

public class FruitTests
{
    [Fact]
    public async Task ReadsWhatItWrote()
    {
        await using var storage = new AzuriteBuilder("tabularium:full").Build();
        await storage.StartAsync();

        var table = new TableClient(storage.GetConnectionString(), "Fruit");
        await table.CreateAsync();
        await table.AddEntityAsync(new TableEntity("citrus", "lemon") { ["Color"] = "yellow" });
        TableEntity found = await table.GetEntityAsync<TableEntity>("citrus", "lemon");
        Assert.Equal("yellow", found["Color"]);
    }
}
