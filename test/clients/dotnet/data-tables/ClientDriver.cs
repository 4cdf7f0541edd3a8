using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Data.Tables;
using Azure.Data.Tables.Sas;

namespace Tabularium.Clients;

/// <summary>Azure.Data.Tables.</summary>
public sealed class ClientDriver : IDriver
{
    private static readonly HttpClient Trusting = new(Connections.Open(true));
    private static readonly HttpClient Untrusting = new(Connections.Open(false));

    public string Name => ".NET Azure.Data.Tables";
    public string Version => "12.13.0";
    public string Prefix => "tables";

    public bool CanWrite(Value value) => value.ToObject() is not double.PositiveInfinity and not double.NegativeInfinity;

    public IClient Open(Access access)
    {
        var options = new TableClientOptions { Transport = new HttpClientTransport(access.Trusted ? Trusting : Untrusting) };
        options.Retry.MaxRetries = 0;
        return new DataTablesClient(Open(access, Cases.Variable(access.Endpoint), options));
    }

    private static TableServiceClient Open(Access access, string endpoint, TableClientOptions options)
    {
        if (access.IsConnectionString) return new TableServiceClient(endpoint, options);
        var address = new Uri(endpoint);
        if (access.Signature != null) return new TableServiceClient(address, new AzureSasCredential(access.Signature), options);
        if (access.Token != null) return new TableServiceClient(address, new FixedToken(access.Token), options);
        return new TableServiceClient(address, SharedKey(access.Key), options);
    }

    /// <summary>The client itself sends a request for statistics to the secondary endpoint.</summary>
    public IClient OpenStatistics() => Open(Access.Http);

    private static TableSharedKeyCredential SharedKey(string key = null) =>
        new(Cases.Variable("TABLES_ACCOUNT"), key ?? Cases.Variable("TABLES_KEY"));

    public string Sign(Rights rights)
    {
        if (rights.Table == null) return AccountBuilder(rights).Sign(SharedKey());
        if (rights.Policy != null)
            return new TableSasBuilder { TableName = rights.Table, Identifier = rights.Policy }.Sign(SharedKey());
        var builder = new TableSasBuilder(rights.Table, rights.Permissions, rights.Expiry.Value);
        if (rights.Start != null) builder.StartsOn = rights.Start.Value;
        if (rights.HttpsOnly) builder.Protocol = TableSasProtocol.Https;
        if (rights.Address != null) builder.IPRange = TableSasIPRange.Parse(rights.Address);
        if (rights.Keys != null)
        {
            builder.PartitionKeyStart = rights.Keys[0];
            builder.RowKeyStart = rights.Keys[1];
            builder.PartitionKeyEnd = rights.Keys[2];
            builder.RowKeyEnd = rights.Keys[3];
        }
        return builder.Sign(SharedKey());
    }

    private static TableAccountSasBuilder AccountBuilder(Rights rights)
    {
        var types = rights.Types == "s" ? TableAccountSasResourceTypes.Service : TableAccountSasResourceTypes.All;
        // The package has no right to create; the right to write covers tables.
        var permissions = rights.Permissions == "r" ? TableAccountSasPermissions.Read : TableAccountSasPermissions.All;
        return new TableAccountSasBuilder(permissions, types, rights.Expiry.Value);
    }

    /// <summary>A credential with a token that is there already.</summary>
    private sealed class FixedToken(string token) : TokenCredential
    {
        public override AccessToken GetToken(TokenRequestContext context, CancellationToken cancellationToken) =>
            new(token, DateTimeOffset.UtcNow.AddHours(1));

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext context, CancellationToken cancellationToken) =>
            new(GetToken(context, cancellationToken));
    }
}
