using System;
using System.Threading;
using System.Threading.Tasks;

namespace Tabularium.Testing
{
    /// <summary>An account of its own for a test. It is deleted at the end.</summary>
    public sealed class TabulariumBranch : IAsyncDisposable
    {
        internal TabulariumBranch(TabulariumServer server, string account, string connectionString)
        {
            Server = server;
            Account = account;
            ConnectionString = connectionString;
        }

        /// <summary>The server of the branch.</summary>
        public TabulariumServer Server { get; }

        /// <summary>The name of the account.</summary>
        public string Account { get; }

        /// <summary>The connection string, for every SDK.</summary>
        public string ConnectionString { get; }

        /// <summary>Creates a branch on the server of this test process, and starts that server if it does not run yet.</summary>
        public static async Task<TabulariumBranch> CreateAsync(string? test = null, string? from = null, CancellationToken cancellation = default)
        {
            var server = await TabulariumServer.SharedAsync().ConfigureAwait(false);
            return await server.CreateBranchAsync(test, from, cancellation).ConfigureAwait(false);
        }

        /// <summary>Makes requests to this branch fail, as <c>"op=insert fault=ServerBusy times=2"</c>: see docs/faults.md.</summary>
        public Task FaultAsync(string rule, CancellationToken cancellation = default) =>
            Server.Control.AskAsync("POST", "faults", new { rules = $"{rule} account={Account}" }, cancellation);

        /// <summary>
        /// Says why requests of this branch were rejected, and which of its queries are costly; empty if there is nothing to say. For the
        /// output of a test that failed.
        /// </summary>
        public async Task<string> ExplainAsync(CancellationToken cancellation = default)
        {
            try
            {
                return (await Server.Control.AskAsync("GET", $"branches/{Account}/report", null, cancellation).ConfigureAwait(false)).Trim();
            }
            catch (Exception error) when (!cancellation.IsCancellationRequested)
            {
                // The failure of the test itself counts more.
                return "Tabularium cannot explain this test: " + error.Message;
            }
        }

        /// <summary>Deletes the branch with its data.</summary>
        public async ValueTask DisposeAsync() => await Server.Control.AskAsync("DELETE", "branches/" + Account).ConfigureAwait(false);
    }
}
