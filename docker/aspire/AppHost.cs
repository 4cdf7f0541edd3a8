// The application host of .NET Aspire: its storage emulator, with Tabularium's tables.
var builder = DistributedApplication.CreateBuilder(args);

var storage = builder.AddAzureStorage("storage")
    .RunAsEmulator(emulator => emulator
        .WithImageRegistry(null)
        .WithImage("tabularium", "full")
        .WithDataVolume());

builder.AddProject<Projects.Api>("api")
    .WithReference(storage.AddTables("tables"))
    .WaitFor(storage);

builder.Build().Run();
