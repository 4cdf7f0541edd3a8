#if COSMOS_TABLE
global using Microsoft.Azure.Cosmos.Table;
#else
global using Microsoft.WindowsAzure.Storage;
global using Microsoft.WindowsAzure.Storage.Auth;
global using Microsoft.WindowsAzure.Storage.RetryPolicies;
global using Microsoft.WindowsAzure.Storage.Shared.Protocol;
global using Microsoft.WindowsAzure.Storage.Table;
#endif
