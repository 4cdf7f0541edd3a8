using Xunit;

namespace Tabularium.Clients;

// One test for each check. The checks of a class share what they prepare.

public sealed class AccountTests(AccountChecks checks) : IClassFixture<AccountChecks>
{
    public static TheoryData<string> Ids => new AccountChecks().Ids;

    [Theory]
    [MemberData(nameof(Ids))]
    public Task Check(string id) => checks.RunAsync(id);
}

public sealed class EntityTests(EntityChecks checks) : IClassFixture<EntityChecks>
{
    public static TheoryData<string> Ids => new EntityChecks().Ids;

    [Theory]
    [MemberData(nameof(Ids))]
    public Task Check(string id) => checks.RunAsync(id);
}

public sealed class QueryTests(QueryChecks checks) : IClassFixture<QueryChecks>
{
    public static TheoryData<string> Ids => new QueryChecks().Ids;

    [Theory]
    [MemberData(nameof(Ids))]
    public Task Check(string id) => checks.RunAsync(id);
}

public sealed class TransactionTests(TransactionChecks checks) : IClassFixture<TransactionChecks>
{
    public static TheoryData<string> Ids => new TransactionChecks().Ids;

    [Theory]
    [MemberData(nameof(Ids))]
    public Task Check(string id) => checks.RunAsync(id);
}

public sealed class SignatureTests(SignatureChecks checks) : IClassFixture<SignatureChecks>
{
    public static TheoryData<string> Ids => new SignatureChecks().Ids;

    [Theory]
    [MemberData(nameof(Ids))]
    public Task Check(string id) => checks.RunAsync(id);
}
