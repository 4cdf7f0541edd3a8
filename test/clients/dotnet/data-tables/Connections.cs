using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Tabularium.Clients;

/// <summary>Connections to this machine that trust the certificate of the server, or nothing.</summary>
public static class Connections
{
    public static SocketsHttpHandler Open(bool trusted)
    {
        var handler = new SocketsHttpHandler();
        handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, errors) =>
            (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) == SslPolicyErrors.None
            && HasTrustedChain(certificate, trusted);
        // Not every resolver knows the names below localhost.
        handler.ConnectCallback = async (context, cancellationToken) =>
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await socket.ConnectAsync(IPAddress.Loopback, context.DnsEndPoint.Port, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        };
        return handler;
    }

    private static bool HasTrustedChain(X509Certificate certificate, bool trusted)
    {
        using var chain = new X509Chain();
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        if (trusted)
        {
            var text = File.ReadAllText(Cases.Variable("TABLES_CERTIFICATE"));
            chain.ChainPolicy.CustomTrustStore.Add(X509Certificate2.CreateFromPem(text));
        }
        return certificate is X509Certificate2 whole && chain.Build(whole);
    }
}
