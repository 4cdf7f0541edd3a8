// An Aspire application host whose storage emulator is Tabularium's image with all three services.
var builder = DistributedApplication.CreateBuilder(args);

var storage = builder.AddAzureStorage("storage")
    .RunAsEmulator(emulator => emulator
        .WithImageRegistry(null)
        .WithImage("tabularium", "full")
        .WithDataVolume()
        // Shows each request to a table in the dashboard. Without it, Aspire gives a container no address for traces.
        .WithOtlpExporter(OtlpProtocol.HttpProtobuf));

builder.AddProject<Projects.Api>("api")
    .WithReference(storage.AddTables("tables"))
    .WaitFor(storage);

builder.Build().Run();
