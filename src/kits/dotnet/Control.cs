using System;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Tabularium.Testing
{
    /// <summary>Asks the control endpoints of a server.</summary>
    internal sealed class Control : IDisposable
    {
        // A proxy that the environment names is not for a server on this machine.
        private readonly HttpClient http = new HttpClient(new HttpClientHandler { UseProxy = false });

        internal Control(Uri url, string? token)
        {
            Url = url;
            if (!string.IsNullOrEmpty(token)) http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
        }

        internal Uri Url { get; }

        /// <summary>Sends a call. Returns its answer as text.</summary>
        internal async Task<string> AskAsync(string method, string path, object? body = null, CancellationToken cancellation = default)
        {
            using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(Url, "/_tabularium/" + path));
            if (path.EndsWith("/report", StringComparison.Ordinal)) request.Headers.Accept.ParseAdd("text/plain");
            if (body != null) request.Content = new StringContent(JsonSerializer.Serialize(body), Encoding.UTF8, "application/json");
            HttpResponseMessage answer;
            try
            {
                answer = await http.SendAsync(request, cancellation).ConfigureAwait(false);
            }
            catch (HttpRequestException error)
            {
                throw new TabulariumException($"There is no server at {Base}: {error.GetBaseException().Message}", error);
            }
            using (answer)
            {
                var status = (int)answer.StatusCode;
                if (!answer.Headers.Contains("x-tabularium")) throw new TabulariumException($"The server at {Base} is not Tabularium: status {status}.");
                var text = await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
                // A branch that is gone is deleted.
                if (status >= 400 && !(method == "DELETE" && status == 404))
                    throw new TabulariumException($"{method} {request.RequestUri} answers {status}: {text.Trim()}");
                return text;
            }
        }

        public void Dispose() => http.Dispose();

        private string Base => Url.GetLeftPart(UriPartial.Authority);

        /// <summary>Returns a text of an answer; null if it has none.</summary>
        internal static string? TextOf(string json, string name)
        {
            using var parsed = JsonDocument.Parse(json);
            return parsed.RootElement.TryGetProperty(name, out var value) ? value.ToString() : null;
        }
    }
}
