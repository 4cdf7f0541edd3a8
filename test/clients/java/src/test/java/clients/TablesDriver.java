package clients;

import static clients.Model.env;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Cannot;
import clients.Model.Entity;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import clients.Model.Rejected;
import clients.Model.Rights;
import clients.Model.Value;
import com.azure.core.credential.AccessToken;
import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.netty.NettyAsyncHttpClientBuilder;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.core.http.rest.Response;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableAccessPolicies;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableServiceCorsRule;
import com.azure.data.tables.models.TableServiceException;
import com.azure.data.tables.models.TableServiceLogging;
import com.azure.data.tables.models.TableServiceMetrics;
import com.azure.data.tables.models.TableServiceProperties;
import com.azure.data.tables.models.TableServiceRetentionPolicy;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.models.TableTransactionActionResponse;
import com.azure.data.tables.models.TableTransactionFailedException;
import com.azure.data.tables.models.TableTransactionResult;
import com.azure.data.tables.sas.TableAccountSasPermission;
import com.azure.data.tables.sas.TableAccountSasResourceType;
import com.azure.data.tables.sas.TableAccountSasService;
import com.azure.data.tables.sas.TableAccountSasSignatureValues;
import com.azure.data.tables.sas.TableSasIpRange;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasProtocol;
import com.azure.data.tables.sas.TableSasSignatureValues;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.File;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/** What the synchronous and the asynchronous client of azure-data-tables share. */
abstract class TablesDriver implements Driver {
    private static final HttpClient TRUSTING = http(true);
    private static final HttpClient UNTRUSTING = http(false);

    private static HttpClient http(boolean trusted) {
        var client = reactor.netty.http.client.HttpClient.create().resolver(DefaultAddressResolverGroup.INSTANCE);
        if (trusted) {
            var certificate = new File(env("TABLES_CERTIFICATE"));
            client = client.secure(spec -> {
                try {
                    spec.sslContext(SslContextBuilder.forClient().trustManager(certificate).build());
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            });
        }
        return new NettyAsyncHttpClientBuilder(client).build();
    }

    @Override
    public String version() {
        return "12.5.9";
    }

    @Override
    public boolean hasTicks() {
        return true;
    }

    @Override
    public boolean canWrite(Value value) {
        return isWritten(value);
    }

    private static boolean isWritten(Value value) {
        return !value.kind().equals("Double") || Double.isFinite(Double.parseDouble(value.text()));
    }

    /** The package replaces no host: statistics are read where the client points to. */
    @Override
    public Client openStatistics() throws Exception {
        return open(Access.HTTP.at("TABLES_SECONDARY_ENDPOINT"));
    }

    static TableServiceClientBuilder builder(Access access) {
        var builder = new TableServiceClientBuilder()
            .httpClient(access.trusted() ? TRUSTING : UNTRUSTING)
            .retryOptions(new RetryOptions(new FixedDelayOptions(0, Duration.ofMillis(1))));
        var endpoint = env(access.endpoint());
        if (access.endpoint().endsWith("CONNECTION_STRING")) return builder.connectionString(endpoint);
        builder.endpoint(endpoint);
        if (access.signature() != null) return builder.sasToken(access.signature());
        if (access.token() != null)
            return builder.credential(request -> Mono.just(
                new AccessToken(access.token(), OffsetDateTime.now().plusHours(1))));
        var key = access.key() == null ? env("TABLES_KEY") : access.key();
        return builder.credential(new AzureNamedKeyCredential(env("TABLES_ACCOUNT"), key));
    }

    @Override
    public String sign(Rights rights) {
        var service = builder(Access.HTTP).buildClient();
        var protocol = rights.httpsOnly() ? TableSasProtocol.HTTPS_ONLY : null;
        if (rights.table() == null) {
            return service.generateAccountSas(new TableAccountSasSignatureValues(
                rights.expiry(), TableAccountSasPermission.parse(rights.permissions()),
                TableAccountSasService.parse("t"), TableAccountSasResourceType.parse(rights.types())));
        }
        var table = service.getTableClient(rights.table());
        if (rights.policy() != null) return table.generateSas(new TableSasSignatureValues(rights.policy()));
        var values = new TableSasSignatureValues(rights.expiry(), TableSasPermission.parse(rights.permissions()))
            .setStartTime(rights.start());
        if (protocol != null) values.setProtocol(protocol);
        if (rights.address() != null) values.setSasIpRange(TableSasIpRange.parse(rights.address()));
        if (rights.keys() != null) {
            values.setStartPartitionKey(rights.keys().get(0)).setStartRowKey(rights.keys().get(1));
            values.setEndPartitionKey(rights.keys().get(2)).setEndRowKey(rights.keys().get(3));
        }
        return table.generateSas(values);
    }

    static TableEntity encode(Entity entity, String tag) {
        var made = new TableEntity(entity.partition(), entity.row());
        if (tag != null) made.addProperty("odata.etag", tag);
        entity.properties().forEach((name, value) -> made.addProperty(name, nativeOf(value)));
        return made;
    }

    private static Object nativeOf(Value value) {
        if (!isWritten(value)) throw new Cannot("the client writes NaN and infinities without their type");
        var text = value.text();
        return switch (value.kind()) {
            case "Boolean" -> Boolean.valueOf(text);
            case "Int32" -> Integer.valueOf(text);
            case "Int64" -> Long.valueOf(text);
            case "Double" -> Double.valueOf(text);
            case "DateTime" -> OffsetDateTime.parse(text);
            case "Guid" -> UUID.fromString(text);
            case "Binary" -> Base64.getDecoder().decode(text);
            default -> text;
        };
    }

    private static Value valueOf(Object found) {
        if (found instanceof Boolean) return new Value("Boolean", found.toString());
        if (found instanceof Integer) return new Value("Int32", found.toString());
        if (found instanceof Long) return new Value("Int64", found.toString());
        if (found instanceof Double) return new Value("Double", found.toString());
        if (found instanceof OffsetDateTime when) return new Value("DateTime", when.toInstant().toString());
        if (found instanceof UUID) return new Value("Guid", found.toString());
        if (found instanceof byte[] bytes) return new Value("Binary", Base64.getEncoder().encodeToString(bytes));
        return new Value("String", (String) found);
    }

    static Entity decode(TableEntity found) {
        var properties = new LinkedHashMap<String, Value>();
        found.getProperties().forEach((name, value) -> {
            var isOwn = name.contains("odata.") || List.of("PartitionKey", "RowKey", "Timestamp").contains(name);
            if (!isOwn && value != null) properties.put(name, valueOf(value));
        });
        var timestamp = found.getTimestamp();
        return new Entity(
            found.getPartitionKey(), found.getRowKey(), properties, found.getETag(),
            timestamp == null ? null : timestamp.toInstant());
    }

    static TableEntityUpdateMode modeOf(String mode) {
        return TableEntityUpdateMode.valueOf(mode.toUpperCase());
    }

    static ListEntitiesOptions options(Query query) {
        return new ListEntitiesOptions().setFilter(query.filter()).setSelect(query.select()).setTop(query.size());
    }

    static List<TableTransactionAction> actions(List<Action> actions) {
        var types = Map.of(
            "insert", TableTransactionActionType.CREATE,
            "merge", TableTransactionActionType.UPDATE_MERGE,
            "replace", TableTransactionActionType.UPDATE_REPLACE,
            "upsert-merge", TableTransactionActionType.UPSERT_MERGE,
            "upsert-replace", TableTransactionActionType.UPSERT_REPLACE,
            "delete", TableTransactionActionType.DELETE);
        return actions.stream()
            .map(one -> new TableTransactionAction(
                types.get(one.kind()), encode(one.entity(), one.tag()), one.tag() != null))
            .toList();
    }

    static Map<String, Policy> policiesOf(TableAccessPolicies found) {
        var policies = new LinkedHashMap<String, Policy>();
        if (found.getIdentifiers() == null) return policies;
        for (var one : found.getIdentifiers()) {
            var policy = one.getAccessPolicy();
            policies.put(one.getId(), new Policy(policy.getPermissions(), policy.getStartsOn(), policy.getExpiresOn()));
        }
        return policies;
    }

    static List<TableSignedIdentifier> identifiersOf(Map<String, Policy> policies) {
        var made = new ArrayList<TableSignedIdentifier>();
        policies.forEach((id, policy) -> made.add(new TableSignedIdentifier(id).setAccessPolicy(
            new TableAccessPolicy()
                .setPermissions(policy.rights())
                .setStartsOn(policy.start())
                .setExpiresOn(policy.expiry()))));
        return made;
    }

    static TableServiceProperties propertiesOf(Integer days, List<String> origins) {
        var retention = new TableServiceRetentionPolicy().setEnabled(days != null).setDaysToRetain(days);
        var rules = origins.stream()
            .map(origin -> new TableServiceCorsRule()
                .setAllowedOrigins(origin)
                .setAllowedMethods("GET")
                .setAllowedHeaders("")
                .setExposedHeaders("")
                .setMaxAgeInSeconds(60))
            .toList();
        return new TableServiceProperties()
            .setLogging(new TableServiceLogging()
                .setAnalyticsVersion("1.0")
                .setReadLogged(true)
                .setWriteLogged(true)
                .setDeleteLogged(false)
                .setRetentionPolicy(retention))
            .setHourMetrics(new TableServiceMetrics()
                .setVersion("1.0")
                .setEnabled(true)
                .setIncludeApis(true)
                .setRetentionPolicy(retention))
            .setCorsRules(rules);
    }

    static Properties propertiesOf(TableServiceProperties found) {
        var logging = found.getLogging();
        return new Properties(
            List.of(logging.isReadLogged(), logging.isWriteLogged(), logging.isDeleteLogged()),
            logging.getRetentionPolicy().getDaysToRetain(),
            found.getHourMetrics().isEnabled(),
            found.getCorsRules().stream().map(TableServiceCorsRule::getAllowedOrigins).toList());
    }

    /** Returns the tag of an answer. The package removes the quote at its end. */
    static String tagOf(Response<?> answer) {
        return whole(answer.getHeaders().getValue(HttpHeaderName.ETAG));
    }

    /** Returns the tags of the parts of a transaction; null where the package gives a part no headers. */
    static List<String> tagsOf(TableTransactionResult result) {
        return result.getTransactionActionResponses().stream()
            .map(TableTransactionActionResponse::getHeaders)
            .map(headers -> headers == null || headers.getSize() == 0 ? null : whole(headers.getValue(HttpHeaderName.ETAG)))
            .toList();
    }

    static String whole(String tag) {
        return tag == null || tag.endsWith("\"") ? tag : tag + '"';
    }

    /** The package treats a missing table or entity as deleted, so the status is taken from the answer itself. */
    static void strict(Response<?> answer) {
        if (answer.getStatusCode() >= 400) throw new Rejected(answer.getStatusCode(), "ResourceNotFound", -1, null);
    }

    private static final Pattern CODE = Pattern.compile("\"code\":\"(\\w+)\"|<m:code>(\\w+)|<Code>(\\w+)");

    /** Turns the errors of the package into rejections. A failed transaction has no status here, which counts as 0. */
    static <T> T sent(Supplier<T> call) {
        try {
            return call.get();
        } catch (TableTransactionFailedException error) {
            var index = error.getFailedTransactionActionIndex();
            throw new Rejected(0, error.getValue().getErrorCode().toString(), index == null ? -1 : index, error);
        } catch (TableServiceException error) {
            var code = error.getValue() == null ? null : String.valueOf(error.getValue().getErrorCode());
            throw new Rejected(error.getResponse() == null ? 0 : error.getResponse().getStatusCode(), code, -1, error);
        } catch (HttpResponseException error) {
            var code = CODE.matcher(error.getMessage());
            var name = !code.find() ? null : code.group(1) != null ? code.group(1) : code.group(2);
            throw new Rejected(error.getResponse().getStatusCode(), name, -1, error);
        } catch (IllegalArgumentException error) {
            throw new Cannot("the client rejects it: " + error.getMessage());
        }
    }
}
