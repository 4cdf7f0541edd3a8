namespace Tabularium.Clients;

/// <summary>Microsoft.Azure.Cosmos.Table or WindowsAzure.Storage, which have one form.</summary>
public sealed class ClientDriver : IDriver
{
#if COSMOS_TABLE
    public string Name => ".NET Microsoft.Azure.Cosmos.Table";
    public string Version => "1.0.8";
    public string Prefix => "cosmos";

    public bool CanWrite(Value value) => LegacyEntities.IsFinite(value);
#else
    public string Name => ".NET WindowsAzure.Storage";
    public string Version => "9.3.3";
    public string Prefix => "storage";

    public bool CanWrite(Value value) => true;
#endif

    public IClient Open(Access access)
    {
        if (access.Token != null) throw new Cannot("the client has no bearer tokens for tables");
        if (!access.Trusted) throw new Cannot("the client trusts what the process trusts, which is set with SSL_CERT_FILE");
        var isSecondary = access.Endpoint == Access.Secondary.Endpoint;
        var client = access.IsConnectionString
            ? CloudStorageAccount.Parse(Cases.Variable(access.Endpoint)).CreateCloudTableClient()
            : new CloudTableClient(AddressOf(access, isSecondary), CredentialsOf(access));
        client.DefaultRequestOptions.RetryPolicy = new NoRetry();
        if (isSecondary) client.DefaultRequestOptions.LocationMode = LocationMode.SecondaryOnly;
        return new LegacyClient(client, isSecondary);
    }

    public IClient OpenStatistics() => Open(Access.Secondary);

    private static StorageUri AddressOf(Access access, bool isSecondary)
    {
        var primary = new Uri(Cases.Variable(isSecondary ? Access.Http.Endpoint : access.Endpoint));
        return isSecondary ? new StorageUri(primary, new Uri(Cases.Variable(access.Endpoint))) : new StorageUri(primary);
    }

    private static StorageCredentials CredentialsOf(Access access) => access.Signature == null
        ? new StorageCredentials(Cases.Variable("TABLES_ACCOUNT"), access.Key ?? Cases.Variable("TABLES_KEY"))
        : new StorageCredentials(access.Signature);

    public string Sign(Rights rights)
    {
        var account = CloudStorageAccount.Parse(Cases.Variable("TABLES_CONNECTION_STRING"));
        if (rights.Table == null) return account.GetSharedAccessSignature(AccountPolicyOf(rights));
        var table = account.CreateCloudTableClient().GetTableReference(rights.Table);
        if (rights.Policy != null) return table.GetSharedAccessSignature(null, rights.Policy);
        var policy = new SharedAccessTablePolicy
        {
            Permissions = SharedAccessTablePolicy.PermissionsFromString(rights.Permissions),
            SharedAccessStartTime = rights.Start,
            SharedAccessExpiryTime = rights.Expiry,
        };
        var keys = rights.Keys ?? new string[4];
        SharedAccessProtocol? protocols = rights.HttpsOnly ? SharedAccessProtocol.HttpsOnly : null;
        return table.GetSharedAccessSignature(
            policy, null, keys[0], keys[1], keys[2], keys[3], protocols, RangeOf(rights.Address));
    }

    private static IPAddressOrRange RangeOf(string address)
    {
        if (address == null) return null;
        var ends = address.Split('-');
        return ends.Length == 1 ? new IPAddressOrRange(ends[0]) : new IPAddressOrRange(ends[0], ends[1]);
    }

    private static SharedAccessAccountPolicy AccountPolicyOf(Rights rights)
    {
        var types = SharedAccessAccountResourceTypes.Service;
        if (rights.Types != "s")
            types |= SharedAccessAccountResourceTypes.Container | SharedAccessAccountResourceTypes.Object;
        var permissions = SharedAccessAccountPermissions.None;
        foreach (var letter in rights.Permissions)
        {
            permissions |= letter switch
            {
                'r' => SharedAccessAccountPermissions.Read,
                'w' => SharedAccessAccountPermissions.Write,
                'd' => SharedAccessAccountPermissions.Delete,
                'l' => SharedAccessAccountPermissions.List,
                'a' => SharedAccessAccountPermissions.Add,
                'c' => SharedAccessAccountPermissions.Create,
                'u' => SharedAccessAccountPermissions.Update,
                _ => throw new ArgumentException($"there is no permission {letter}"),
            };
        }
        return new SharedAccessAccountPolicy
        {
            Services = SharedAccessAccountServices.Table,
            ResourceTypes = types,
            Permissions = permissions,
            SharedAccessExpiryTime = rights.Expiry,
        };
    }
}
