using Xunit;

namespace Tabularium.Clients;

/// <summary>Stored policies and service properties, which belong to the checks of signatures.</summary>
public sealed partial class SignatureChecks
{
    private static Dictionary<string, Policy> Reader() =>
        new() { ["reader"] = new Policy("r", Cases.Hours(-1), Cases.Hours(1)) };

    private void DefinePolicies()
    {
        Check("sas.policy", async () =>
        {
            var table = await FilledAsync();
            await Client.SetPoliciesAsync(table, Reader());
            var one = Signed(new Rights(table, null) { Policy = "reader" });
            Assert.Equal("a b c", await PartitionsAsync(one, table));
            await RejectedAsync(403, Mismatch, () => one.InsertAsync(table, Entity.Of("d", "r")));
        });
        Check("sas.policy-removed", async () =>
        {
            var table = await FilledAsync();
            await Client.SetPoliciesAsync(table, Reader());
            await Client.SetPoliciesAsync(table, new Dictionary<string, Policy>());
            var one = Signed(new Rights(table, null) { Policy = "reader" });
            await RejectedAsync(403, "AuthenticationFailed", () => one.ListAsync(table, Query.All));
        });
        Check("policy.write", async () =>
        {
            var table = await NewTableAsync();
            var first = new Policy("r", Cases.Hours(-1), Cases.Hours(1));
            var second = new Policy("raud", Cases.Hours(-1), Cases.Hours(2));
            await Client.SetPoliciesAsync(table, new Dictionary<string, Policy> { ["one"] = first, ["two"] = second });
            var found = await Client.PoliciesAsync(table);
            Assert.Equal((2, first, second), (found.Count, found["one"], found["two"]));
        });
        Check("policy.replace", async () =>
        {
            var table = await NewTableAsync();
            await Client.SetPoliciesAsync(table, Reader());
            var other = new Policy("a", Cases.Hours(-1), Cases.Hours(1));
            await Client.SetPoliciesAsync(table, new Dictionary<string, Policy> { ["two"] = other });
            Assert.Equal("two", string.Join(" ", (await Client.PoliciesAsync(table)).Keys));
        });
        Check("policy.partial", async () =>
        {
            var table = await NewTableAsync();
            var partial = new Policy("r", null, Cases.Hours(1));
            await Client.SetPoliciesAsync(table, new Dictionary<string, Policy> { ["one"] = partial });
            Assert.Equal(partial, (await Client.PoliciesAsync(table))["one"]);
        });
        Check("policy.none", async () => Assert.Empty(await Client.PoliciesAsync(await NewTableAsync())));
    }

    private void DefineService()
    {
        Check("service.properties", async () =>
        {
            var origins = new[] { "http://one.example", "http://two.example" };
            await Client.SetSettingsAsync(7, origins);
            Assert.Equal(new Settings(true, true, false, 7, true, string.Join(" ", origins)), await Client.SettingsAsync());
            await Client.SetSettingsAsync(null, []);
        });
        Check("service.retention", () => RejectedAsync(400, null, () => Client.SetSettingsAsync(366, [])));
        Check("service.cors-many", () =>
        {
            var origins = Enumerable.Range(0, 6).Select(at => $"http://{at}.example").ToList();
            return RejectedAsync(400, null, () => Client.SetSettingsAsync(null, origins));
        });
        Check("service.statistics", async () => Assert.Equal("live", await Driver.OpenStatistics().StatisticsAsync()));
    }
}
