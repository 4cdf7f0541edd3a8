using System;
using System.Threading;
using System.Threading.Tasks;

namespace Tabularium.Testing
{
    /// <summary>A server for tests: one that this process started, or the one that <c>TABULARIUM_URL</c> names.</summary>
    public sealed class TabulariumServer : IAsyncDisposable
    {
        private static readonly Lazy<Task<TabulariumServer>> shared = new Lazy<Task<TabulariumServer>>(() => StartAsync(SharedOptions));
        private readonly ServerProcess? process;

        private TabulariumServer(Control control, ServerProcess? process)
        {
            Control = control;
            this.process = process;
        }

        internal Control Control { get; }

        /// <summary>How the server of this test process is started. Set before the first branch, as in a module initializer.</summary>
        public static TabulariumOptions SharedOptions { get; } = new TabulariumOptions();

        /// <summary>The address of the server, such as <c>http://127.0.0.1:10002</c>.</summary>
        public Uri Url => Control.Url;

        /// <summary>The connection string of the first account. Tests that may run in parallel take one of a branch.</summary>
        public string ConnectionString { get; private set; } = "";

        /// <summary>The server of this test process. The first call starts it; it ends with the process.</summary>
        public static Task<TabulariumServer> SharedAsync() => shared.Value;

        /// <summary>Starts a server, or connects to the one that <c>TABULARIUM_URL</c> names.</summary>
        /// <exception cref="TabulariumException">There is no program, it did not start, or another program answers.</exception>
        public static async Task<TabulariumServer> StartAsync(TabulariumOptions? options = null)
        {
            var (url, token) = (Environment.GetEnvironmentVariable("TABULARIUM_URL"), Environment.GetEnvironmentVariable("TABULARIUM_ADMIN_TOKEN"));
            ServerProcess? process = null;
            if (options?.Program != null || string.IsNullOrEmpty(url))
            {
                process = await ServerProcess.StartAsync(options ?? new TabulariumOptions()).ConfigureAwait(false);
                (url, token) = (Control.TextOf(process.Ready, "url"), Control.TextOf(process.Ready, "adminToken"));
            }
            if (!Uri.TryCreate(url, UriKind.Absolute, out var address) || !address.Scheme.StartsWith("http", StringComparison.Ordinal))
                throw new TabulariumException($"There is no server at {url}: it is not a URL of http.");
            var server = new TabulariumServer(new Control(address, token), process);
            try
            {
                var info = await server.Control.AskAsync("GET", "info").ConfigureAwait(false);
                var given = process is null ? Environment.GetEnvironmentVariable("TABULARIUM_CONNECTION_STRING") : null;
                server.ConnectionString = given ?? Control.TextOf(info, "connectionString") ?? "";
                return server;
            }
            catch (TabulariumException)
            {
                await server.DisposeAsync().ConfigureAwait(false);
                throw;
            }
        }

        /// <summary>
        /// Creates an account of its own for a test: empty, or a copy of a snapshot or of another account. <paramref name="test"/> is the
        /// name of the test, for messages.
        /// </summary>
        public async Task<TabulariumBranch> CreateBranchAsync(string? test = null, string? from = null, CancellationToken cancellation = default)
        {
            var body = test is null ? (object)new { from = from ?? "empty" } : new { from = from ?? "empty", mark = test };
            var made = await Control.AskAsync("POST", "branches", body, cancellation).ConfigureAwait(false);
            return new TabulariumBranch(this, Control.TextOf(made, "account")!, Control.TextOf(made, "connectionString")!);
        }

        /// <summary>Keeps the data of the first account, or of another, under a name from which branches start.</summary>
        public Task SnapshotAsync(string name, string? account = null, CancellationToken cancellation = default) =>
            Control.AskAsync("PUT", "snapshots/" + Uri.EscapeDataString(name), account is null ? new { } : (object)new { account }, cancellation);

        /// <summary>Empties all accounts but branches, or returns them to the snapshot <c>seed</c> if there is one.</summary>
        public Task ResetAsync(CancellationToken cancellation = default) => Control.AskAsync("POST", "reset", new { }, cancellation);

        /// <summary>Moves the clock of the server forward, for all accounts: tests that do this run alone.</summary>
        public Task AdvanceClockAsync(TimeSpan by, CancellationToken cancellation = default) =>
            Control.AskAsync("POST", "clock/advance", new { by = (long)by.TotalMilliseconds + "ms" }, cancellation);

        /// <summary>Stops the server if this object started it.</summary>
        public ValueTask DisposeAsync()
        {
            Control.Dispose();
            return process is null ? default : process.DisposeAsync();
        }
    }
}
