package clients;

import static clients.Model.env;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Cannot;
import clients.Model.Entity;
import clients.Model.Page;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import clients.Model.Rejected;
import clients.Model.Rights;
import clients.Model.Value;
import com.microsoft.azure.storage.CloudStorageAccount;
import com.microsoft.azure.storage.CorsHttpMethods;
import com.microsoft.azure.storage.CorsRule;
import com.microsoft.azure.storage.IPRange;
import com.microsoft.azure.storage.LocationMode;
import com.microsoft.azure.storage.LoggingOperations;
import com.microsoft.azure.storage.MetricsLevel;
import com.microsoft.azure.storage.ResultContinuation;
import com.microsoft.azure.storage.RetryNoRetry;
import com.microsoft.azure.storage.ServiceProperties;
import com.microsoft.azure.storage.SharedAccessAccountPolicy;
import com.microsoft.azure.storage.SharedAccessAccountResourceType;
import com.microsoft.azure.storage.SharedAccessAccountService;
import com.microsoft.azure.storage.SharedAccessProtocols;
import com.microsoft.azure.storage.StorageCredentials;
import com.microsoft.azure.storage.StorageCredentialsAccountAndKey;
import com.microsoft.azure.storage.StorageCredentialsSharedAccessSignature;
import com.microsoft.azure.storage.StorageException;
import com.microsoft.azure.storage.StorageUri;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.CloudTableClient;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.EntityProperty;
import com.microsoft.azure.storage.table.SharedAccessTablePolicy;
import com.microsoft.azure.storage.table.TableBatchOperation;
import com.microsoft.azure.storage.table.TableOperation;
import com.microsoft.azure.storage.table.TablePermissions;
import com.microsoft.azure.storage.table.TableQuery;
import com.microsoft.azure.storage.table.TableResult;
import java.io.FileInputStream;
import java.net.URI;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** azure-storage, the package before azure-data-tables. */
final class LegacyDriver implements Driver {
    private static final SSLSocketFactory USUAL = HttpsURLConnection.getDefaultSSLSocketFactory();

    @Override
    public String name() {
        return "Java azure-storage";
    }

    @Override
    public String version() {
        return "8.6.6";
    }

    @Override
    public String prefix() {
        return "legacy";
    }

    @Override
    public boolean hasTicks() {
        return false;
    }

    @Override
    public boolean canWrite(Value value) {
        return !isFine(value);
    }

    private static boolean isFine(Value value) {
        return value.kind().equals("DateTime") && value.text().matches(".*\\.\\d{4,}Z");
    }

    @Override
    public Client open(Access access) throws Exception {
        if (access.token() != null) throw new Cannot("the client has no bearer tokens");
        HttpsURLConnection.setDefaultSSLSocketFactory(access.trusted() ? trusting() : USUAL);
        var isSecondary = access.endpoint().equals("TABLES_SECONDARY_ENDPOINT");
        var endpoint = env(isSecondary ? "TABLES_ENDPOINT" : access.endpoint());
        CloudTableClient client;
        if (access.endpoint().endsWith("CONNECTION_STRING")) {
            client = CloudStorageAccount.parse(endpoint).createCloudTableClient();
        } else {
            var isHttp = access.endpoint().equals("TABLES_ENDPOINT") || isSecondary;
            var second = isHttp ? new URI(env("TABLES_SECONDARY_ENDPOINT")) : null;
            var key = access.key() == null ? env("TABLES_KEY") : access.key();
            StorageCredentials credentials = access.signature() == null
                ? new StorageCredentialsAccountAndKey(env("TABLES_ACCOUNT"), key)
                : new StorageCredentialsSharedAccessSignature(access.signature());
            client = new CloudTableClient(new StorageUri(new URI(endpoint), second), credentials);
        }
        client.getDefaultRequestOptions().setRetryPolicyFactory(new RetryNoRetry());
        if (isSecondary) client.getDefaultRequestOptions().setLocationMode(LocationMode.SECONDARY_ONLY);
        return new Calls(client, isSecondary);
    }

    @Override
    public Client openStatistics() throws Exception {
        return open(Access.HTTP.at("TABLES_SECONDARY_ENDPOINT"));
    }

    private static SSLSocketFactory trusting() throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(env("TABLES_CERTIFICATE"))) {
            store.setCertificateEntry("tables", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    @Override
    public String sign(Rights rights) throws Exception {
        var account = CloudStorageAccount.parse(env("TABLES_CONNECTION_STRING"));
        if (rights.table() == null) {
            var policy = new SharedAccessAccountPolicy();
            policy.setServices(EnumSet.of(SharedAccessAccountService.TABLE));
            policy.setPermissionsFromString(rights.permissions());
            policy.setResourceTypes(rights.types().equals("s")
                ? EnumSet.of(SharedAccessAccountResourceType.SERVICE)
                : EnumSet.allOf(SharedAccessAccountResourceType.class));
            policy.setSharedAccessExpiryTime(dateOf(rights.expiry()));
            return account.generateSharedAccessSignature(policy);
        }
        var table = account.createCloudTableClient().getTableReference(rights.table());
        if (rights.policy() != null)
            return table.generateSharedAccessSignature(null, rights.policy(), null, null, null, null, null, null);
        var policy = new SharedAccessTablePolicy();
        policy.setPermissionsFromString(rights.permissions());
        policy.setSharedAccessStartTime(dateOf(rights.start()));
        policy.setSharedAccessExpiryTime(dateOf(rights.expiry()));
        var ends = rights.address() == null ? null : rights.address().split("-");
        var range = ends == null ? null : ends.length == 1 ? new IPRange(ends[0]) : new IPRange(ends[0], ends[1]);
        var protocols = rights.httpsOnly() ? SharedAccessProtocols.HTTPS_ONLY : null;
        var keys = rights.keys() == null ? java.util.Arrays.asList(null, null, null, null) : rights.keys();
        return table.generateSharedAccessSignature(
            policy, null, (String) keys.get(0), (String) keys.get(1), (String) keys.get(2), (String) keys.get(3),
            range, protocols);
    }

    private static Date dateOf(OffsetDateTime instant) {
        return instant == null ? null : Date.from(instant.toInstant());
    }

    private static OffsetDateTime instantOf(Date date) {
        return date == null ? null : date.toInstant().atOffset(ZoneOffset.UTC);
    }

    private static DynamicTableEntity encode(Entity entity, String tag) {
        var properties = new HashMap<String, EntityProperty>();
        entity.properties().forEach((name, value) -> properties.put(name, propertyOf(value)));
        var made = new DynamicTableEntity(entity.partition(), entity.row(), properties);
        made.setEtag(tag);
        return made;
    }

    private static EntityProperty propertyOf(Value value) {
        var text = value.text();
        return switch (value.kind()) {
            case "Boolean" -> new EntityProperty(Boolean.parseBoolean(text));
            case "Int32" -> new EntityProperty(Integer.parseInt(text));
            case "Int64" -> new EntityProperty(Long.parseLong(text));
            case "Double" -> new EntityProperty(Double.parseDouble(text));
            case "DateTime" -> {
                if (isFine(value)) throw new Cannot("the client has instants of milliseconds");
                yield new EntityProperty(Date.from(Instant.parse(text)));
            }
            case "Guid" -> new EntityProperty(UUID.fromString(text));
            case "Binary" -> new EntityProperty(Base64.getDecoder().decode(text));
            default -> new EntityProperty(text);
        };
    }

    private static Value valueOf(EntityProperty found) {
        return switch (found.getEdmType()) {
            case BOOLEAN -> new Value("Boolean", String.valueOf(found.getValueAsBoolean()));
            case INT32 -> new Value("Int32", String.valueOf(found.getValueAsInteger()));
            case INT64 -> new Value("Int64", String.valueOf(found.getValueAsLong()));
            case DOUBLE -> new Value("Double", String.valueOf(found.getValueAsDouble()));
            case DATE_TIME -> new Value("DateTime", found.getValueAsDate().toInstant().toString());
            case GUID -> new Value("Guid", found.getValueAsUUID().toString());
            case BINARY -> new Value("Binary", Base64.getEncoder().encodeToString(found.getValueAsByteArray()));
            default -> new Value("String", found.getValueAsString());
        };
    }

    private static Entity decode(DynamicTableEntity found) {
        var properties = new LinkedHashMap<String, Value>();
        found.getProperties().forEach((name, value) -> {
            if (!value.getIsNull()) properties.put(name, valueOf(value));
        });
        return new Entity(
            found.getPartitionKey(), found.getRowKey(), properties, found.getEtag(), found.getTimestamp().toInstant());
    }

    private static final Pattern INDEX = Pattern.compile("^(\\d+):");

    interface Call<T> {
        T get() throws Exception;
    }

    /** Turns the errors of the package into rejections. */
    private static <T> T sent(Call<T> call) throws Exception {
        try {
            return call.get();
        } catch (NoSuchElementException error) {
            // An iterator hides its error.
            if (error.getCause() instanceof StorageException cause) throw rejection(cause);
            throw error;
        } catch (StorageException error) {
            throw rejection(error);
        } catch (IllegalArgumentException error) {
            throw new Cannot("the client rejects it: " + error.getMessage());
        }
    }

    private static RuntimeException rejection(StorageException error) throws StorageException {
        if (error.getMessage().startsWith("Cannot use HTTP"))
            return new Cannot("the client rejects it: " + error.getMessage());
        if (error.getHttpStatusCode() < 400) throw error;
        var extended = error.getExtendedErrorInformation();
        var message = extended == null || extended.getErrorMessage() == null ? "" : extended.getErrorMessage();
        var index = INDEX.matcher(message);
        var code = extended == null ? error.getErrorCode() : extended.getErrorCode();
        return new Rejected(error.getHttpStatusCode(), code, index.find() ? Integer.parseInt(index.group(1)) : -1, error);
    }

    private record Calls(CloudTableClient service, boolean secondary) implements Client {
        private CloudTable of(String table) throws Exception {
            return service.getTableReference(table);
        }

        private static TableQuery<DynamicTableEntity> queryOf(Query asked) {
            var query = TableQuery.from(DynamicTableEntity.class);
            if (asked.filter() != null) query.where(asked.filter());
            if (asked.select() != null) query.select(asked.select().toArray(String[]::new));
            if (asked.size() != null) query.take(asked.size());
            return query;
        }

        private TableResult run(String table, TableOperation operation) throws Exception {
            if (secondary && operation.getClass() == TableOperation.class)
                throw new Cannot("the client rejects writes to the secondary endpoint");
            return sent(() -> of(table).execute(operation));
        }

        @Override
        public void createTable(String table) throws Exception {
            sent(() -> {
                of(table).create();
                return null;
            });
        }

        @Override
        public void deleteTable(String table) throws Exception {
            sent(() -> {
                of(table).delete();
                return null;
            });
        }

        @Override
        public List<List<String>> tablePages(String filter, Integer size) throws Exception {
            if (filter != null) throw new Cannot("the client lists tables by prefix, without a filter");
            return sent(() -> {
                var names = new ArrayList<String>();
                service.listTables().forEach(names::add);
                return List.of(names);
            });
        }

        @Override
        public String insert(String table, Entity entity) throws Exception {
            return run(table, TableOperation.insert(encode(entity, null))).getEtag();
        }

        @Override
        public Entity get(String table, String partition, String row, List<String> select) throws Exception {
            if (select != null) throw new Cannot("the client selects properties only in queries");
            var operation = TableOperation.retrieve(partition, row, DynamicTableEntity.class);
            var result = sent(() -> of(table).execute(operation));
            // A missing entity is a result without an entity here.
            if (result.getHttpStatusCode() == 404) throw new Rejected(404, "ResourceNotFound", -1, null);
            return decode(result.getResultAsType());
        }

        @Override
        public String update(String table, Entity entity, String mode, String tag) throws Exception {
            var made = encode(entity, tag == null ? "*" : tag);
            return run(table, mode.equals("merge") ? TableOperation.merge(made) : TableOperation.replace(made)).getEtag();
        }

        @Override
        public String upsert(String table, Entity entity, String mode) throws Exception {
            var made = encode(entity, null);
            return run(table, mode.equals("merge")
                ? TableOperation.insertOrMerge(made)
                : TableOperation.insertOrReplace(made)).getEtag();
        }

        @Override
        public void delete(String table, String partition, String row, String tag) throws Exception {
            run(table, TableOperation.delete(encode(Entity.of(partition, row), tag == null ? "*" : tag)));
        }

        @Override
        public List<Entity> list(String table, Query query) throws Exception {
            return sent(() -> {
                var rows = new ArrayList<Entity>();
                of(table).execute(queryOf(query)).forEach(one -> rows.add(decode(one)));
                return rows;
            });
        }

        @Override
        public Entity first(String table) throws Exception {
            return sent(() -> decode(of(table).execute(queryOf(Query.ALL)).iterator().next()));
        }

        @Override
        public Page page(String table, Query query, Object token) throws Exception {
            return sent(() -> {
                var page = of(table).executeSegmented(queryOf(query), (ResultContinuation) token);
                return new Page(
                    page.getResults().stream().map(LegacyDriver::decode).toList(), page.getContinuationToken());
            });
        }

        @Override
        public List<String> transaction(String table, List<Action> actions) throws Exception {
            return sent(() -> {
                var batch = new TableBatchOperation();
                for (var one : actions) {
                    var isUpdate = List.of("merge", "replace", "delete").contains(one.kind());
                    var made = encode(one.entity(), one.tag() == null && isUpdate ? "*" : one.tag());
                    switch (one.kind()) {
                        case "insert" -> batch.insert(made);
                        case "merge" -> batch.merge(made);
                        case "replace" -> batch.replace(made);
                        case "upsert-merge" -> batch.insertOrMerge(made);
                        case "upsert-replace" -> batch.insertOrReplace(made);
                        default -> batch.delete(made);
                    }
                }
                return of(table).execute(batch).stream().map(TableResult::getEtag).toList();
            });
        }

        @Override
        public Map<String, Policy> policies(String table) throws Exception {
            var found = new LinkedHashMap<String, Policy>();
            sent(() -> of(table).downloadPermissions()).getSharedAccessPolicies().forEach((id, policy) -> found.put(
                id, new Policy(
                    policy.permissionsToString(), instantOf(policy.getSharedAccessStartTime()),
                    instantOf(policy.getSharedAccessExpiryTime()))));
            return found;
        }

        @Override
        public void setPolicies(String table, Map<String, Policy> policies) throws Exception {
            var permissions = new TablePermissions();
            policies.forEach((id, policy) -> {
                var made = new SharedAccessTablePolicy();
                made.setPermissionsFromString(policy.rights());
                made.setSharedAccessStartTime(dateOf(policy.start()));
                made.setSharedAccessExpiryTime(dateOf(policy.expiry()));
                permissions.getSharedAccessPolicies().put(id, made);
            });
            sent(() -> {
                of(table).uploadPermissions(permissions);
                return null;
            });
        }

        @Override
        public void setProperties(Integer days, List<String> origins) throws Exception {
            var made = new ServiceProperties();
            made.getLogging().setLogOperationTypes(EnumSet.of(LoggingOperations.READ, LoggingOperations.WRITE));
            made.getLogging().setRetentionIntervalInDays(days);
            made.getHourMetrics().setMetricsLevel(MetricsLevel.SERVICE_AND_API);
            made.getHourMetrics().setRetentionIntervalInDays(days);
            for (var origin : origins) {
                var rule = new CorsRule();
                rule.setAllowedOrigins(List.of(origin));
                rule.setAllowedMethods(EnumSet.of(CorsHttpMethods.GET));
                rule.setMaxAgeInSeconds(60);
                made.getCors().getCorsRules().add(rule);
            }
            sent(() -> {
                service.uploadServiceProperties(made);
                return null;
            });
        }

        @Override
        public Properties properties() throws Exception {
            var found = sent(service::downloadServiceProperties);
            var covers = found.getLogging().getLogOperationTypes();
            return new Properties(
                List.of(
                    covers.contains(LoggingOperations.READ), covers.contains(LoggingOperations.WRITE),
                    covers.contains(LoggingOperations.DELETE)),
                found.getLogging().getRetentionIntervalInDays(),
                found.getHourMetrics().getMetricsLevel() != MetricsLevel.DISABLED,
                found.getCors().getCorsRules().stream().map(rule -> String.join(",", rule.getAllowedOrigins())).toList());
        }

        @Override
        public String statistics() throws Exception {
            return sent(service::getServiceStats).getGeoReplication().getStatus().toString().toLowerCase();
        }
    }
}
