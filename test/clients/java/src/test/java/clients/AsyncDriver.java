package clients;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Entity;
import clients.Model.Page;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import com.azure.data.tables.TableAsyncClient;
import com.azure.data.tables.TableServiceAsyncClient;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableItem;
import java.util.List;
import java.util.Map;

/** The asynchronous client of azure-data-tables. */
final class AsyncDriver extends TablesDriver {
    @Override
    public String name() {
        return "Java azure-data-tables (async)";
    }

    @Override
    public String prefix() {
        return "async";
    }

    @Override
    public Client open(Access access) {
        return new Calls(builder(access).buildAsyncClient());
    }

    private record Calls(TableServiceAsyncClient service) implements Client {
        private TableAsyncClient of(String table) {
            return service.getTableClient(table);
        }

        @Override
        public void createTable(String table) {
            sent(() -> service.createTable(table).block());
        }

        @Override
        public void deleteTable(String table) {
            strict(sent(() -> service.deleteTableWithResponse(table).block()));
        }

        @Override
        public List<List<String>> tablePages(String filter, Integer size) {
            var asked = new ListTablesOptions().setFilter(filter).setTop(size);
            return sent(() -> service.listTables(asked).byPage()
                .map(page -> page.getValue().stream().map(TableItem::getName).toList())
                .collectList().block());
        }

        @Override
        public String insert(String table, Entity entity) {
            return tagOf(sent(() -> of(table).createEntityWithResponse(encode(entity, null)).block()));
        }

        @Override
        public Entity get(String table, String partition, String row, List<String> select) {
            return decode(sent(() -> of(table).getEntityWithResponse(partition, row, select).block()).getValue());
        }

        @Override
        public String update(String table, Entity entity, String mode, String tag) {
            return tagOf(sent(() -> of(table)
                .updateEntityWithResponse(encode(entity, tag), modeOf(mode), tag != null).block()));
        }

        @Override
        public String upsert(String table, Entity entity, String mode) {
            return tagOf(sent(() -> of(table).upsertEntityWithResponse(encode(entity, null), modeOf(mode)).block()));
        }

        @Override
        public void delete(String table, String partition, String row, String tag) {
            var entity = encode(Entity.of(partition, row), tag);
            strict(sent(() -> of(table).deleteEntityWithResponse(entity, tag != null).block()));
        }

        @Override
        public List<Entity> list(String table, Query query) {
            return sent(() -> of(table).listEntities(options(query))
                .map(TablesDriver::decode)
                .collectList().block());
        }

        @Override
        public Entity first(String table) {
            return sent(() -> decode(of(table).listEntities().blockFirst()));
        }

        @Override
        public Page page(String table, Query query, Object token) {
            return sent(() -> {
                var found = of(table).listEntities(options(query));
                var page = (token == null ? found.byPage() : found.byPage((String) token)).blockFirst();
                var rows = page.getValue().stream().map(TablesDriver::decode).toList();
                return new Page(rows, page.getContinuationToken());
            });
        }

        @Override
        public List<String> transaction(String table, List<Action> actions) {
            return tagsOf(sent(() -> of(table).submitTransaction(actions(actions)).block()));
        }

        @Override
        public Map<String, Policy> policies(String table) {
            return policiesOf(sent(() -> of(table).getAccessPolicies().block()));
        }

        @Override
        public void setPolicies(String table, Map<String, Policy> policies) {
            sent(() -> of(table).setAccessPoliciesWithResponse(identifiersOf(policies)).block());
        }

        @Override
        public void setProperties(Integer days, List<String> origins) {
            sent(() -> service.setPropertiesWithResponse(propertiesOf(days, origins)).block());
        }

        @Override
        public Properties properties() {
            return propertiesOf(sent(() -> service.getProperties().block()));
        }

        @Override
        public String statistics() {
            return sent(() -> service.getStatistics().block()).getGeoReplication().getStatus().toString();
        }
    }
}
