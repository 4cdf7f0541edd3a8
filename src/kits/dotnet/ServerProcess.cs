using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Tabularium.Testing
{
    /// <summary>The process of a server. It ends when its standard input does: the system closes that when this process ends, however it ends.</summary>
    internal sealed class ServerProcess : IAsyncDisposable
    {
        private static readonly TimeSpan startMax = TimeSpan.FromSeconds(30);
        private static readonly TimeSpan endMax = TimeSpan.FromSeconds(5);
        private readonly Process process;

        private ServerProcess(Process process) => this.process = process;

        /// <summary>The line of JSON that says that the server is ready.</summary>
        internal string Ready { get; private set; } = "";

        internal static async Task<ServerProcess> StartAsync(TabulariumOptions options)
        {
            var program = ProgramFinder.Find(options);
            var start = new[] { "start", "--inMemoryPersistence", "--tablePort", "0", "--silent", "--endWithStdin", "--ready", "json" };
            var words = program.Concat(start).Concat(options.Arguments).ToList();
            var info = new ProcessStartInfo(words[0], string.Join(" ", words.Skip(1).Select(Quoted)))
            {
                UseShellExecute = false,
                CreateNoWindow = true,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            // Settings of the developer's own server, such as a port or a database, are not meant for this one.
            foreach (var name in info.Environment.Keys.Where(name => name.StartsWith("TABULARIUM_", StringComparison.OrdinalIgnoreCase)).ToList())
                info.Environment.Remove(name);
            var server = new ServerProcess(new Process { StartInfo = info });
            try
            {
                server.process.Start();
            }
            catch (Win32Exception error)
            {
                throw new TabulariumException($"{words[0]} cannot be run: {error.Message}", error);
            }
            var errors = new StringBuilder();
            var errorsEnd = new TaskCompletionSource<bool>();
            server.process.ErrorDataReceived += (_, line) =>
            {
                if (line.Data is null) errorsEnd.TrySetResult(true);
                else lock (errors) errors.Append(line.Data).Append('\n');
            };
            server.process.BeginErrorReadLine();
            var line = server.process.StandardOutput.ReadLineAsync();
            var isEarly = await Task.WhenAny(line, Task.Delay(startMax)).ConfigureAwait(false) == line;
            server.Ready = (isEarly ? await line.ConfigureAwait(false) : null) ?? "{}";
            if (server.Ready.StartsWith("{\"ready\":true", StringComparison.Ordinal))
            {
                // Nobody reads later lines, but a full pipe would stop the server.
                _ = server.process.StandardOutput.BaseStream.CopyToAsync(Stream.Null);
                return server;
            }
            await server.DisposeAsync().ConfigureAwait(false);
            // A process that the program leaves behind may keep this pipe open.
            await Task.WhenAny(errorsEnd.Task, Task.Delay(endMax)).ConfigureAwait(false);
            var why = isEarly ? "ended before it was ready." : $"was not ready within {startMax.TotalSeconds:0} seconds.";
            var reason = server.Ready.StartsWith("{\"ready\":false", StringComparison.Ordinal) ? Control.TextOf(server.Ready, "error") : null;
            lock (errors)
                throw new TabulariumException($"{string.Join(" ", words)} {(reason is null ? $"{why}\n{errors}" : "did not start: " + reason)}");
        }

        /// <summary>Ends the server in order; kills it if that takes longer than five seconds.</summary>
        public async ValueTask DisposeAsync()
        {
            try { process.StandardInput.Dispose(); } catch (IOException) { } // It has ended.
            var hasEnded = await Task.Run(() => process.WaitForExit((int)endMax.TotalMilliseconds)).ConfigureAwait(false);
            if (!hasEnded) try { process.Kill(); } catch (InvalidOperationException) { } // It has ended just now.
        }

        /// <summary>Quotes a word as .NET takes it apart on every system. .NET Standard 2.0 has no list of arguments.</summary>
        private static string Quoted(string word)
        {
            if (word.Length > 0 && word.IndexOfAny(new[] { ' ', '\t', '"', '\'' }) < 0) return word;
            var quoted = new StringBuilder("\"");
            var slashes = 0;
            foreach (var letter in word)
            {
                if (letter == '"') quoted.Append('\\', slashes + 1);
                slashes = letter == '\\' ? slashes + 1 : 0;
                quoted.Append(letter);
            }
            return quoted.Append('\\', slashes).Append('"').ToString();
        }
    }
}
