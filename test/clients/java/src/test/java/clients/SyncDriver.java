package clients;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Entity;
import clients.Model.Page;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableItem;
import java.util.List;
import java.util.Map;

/** The synchronous client of azure-data-tables. */
final class SyncDriver extends TablesDriver {
    @Override
    public String name() {
        return "Java azure-data-tables";
    }

    @Override
    public String prefix() {
        return "sync";
    }

    @Override
    public Client open(Access access) {
        return new Calls(builder(access).buildClient());
    }

    private record Calls(TableServiceClient service) implements Client {
        private TableClient of(String table) {
            return service.getTableClient(table);
        }

        @Override
        public void createTable(String table) {
            sent(() -> service.createTable(table));
        }

        @Override
        public void deleteTable(String table) {
            strict(sent(() -> service.deleteTableWithResponse(table, null, null)));
        }

        @Override
        public List<List<String>> tablePages(String filter, Integer size) {
            var asked = new ListTablesOptions().setFilter(filter).setTop(size);
            return sent(() -> service.listTables(asked, null, null).streamByPage()
                .map(page -> page.getValue().stream().map(TableItem::getName).toList())
                .toList());
        }

        @Override
        public String insert(String table, Entity entity) {
            return tagOf(sent(() -> of(table).createEntityWithResponse(encode(entity, null), null, null)));
        }

        @Override
        public Entity get(String table, String partition, String row, List<String> select) {
            return decode(sent(() -> of(table).getEntityWithResponse(partition, row, select, null, null)).getValue());
        }

        @Override
        public String update(String table, Entity entity, String mode, String tag) {
            return tagOf(sent(() -> of(table)
                .updateEntityWithResponse(encode(entity, tag), modeOf(mode), tag != null, null, null)));
        }

        @Override
        public String upsert(String table, Entity entity, String mode) {
            return tagOf(sent(() -> of(table).upsertEntityWithResponse(encode(entity, null), modeOf(mode), null, null)));
        }

        @Override
        public void delete(String table, String partition, String row, String tag) {
            var entity = encode(Entity.of(partition, row), tag);
            strict(sent(() -> of(table).deleteEntityWithResponse(entity, tag != null, null, null)));
        }

        @Override
        public List<Entity> list(String table, Query query) {
            return sent(() -> of(table).listEntities(options(query), null, null).stream()
                .map(TablesDriver::decode)
                .toList());
        }

        @Override
        public Entity first(String table) {
            return sent(() -> decode(of(table).listEntities().iterator().next()));
        }

        @Override
        public Page page(String table, Query query, Object token) {
            return sent(() -> {
                var page = of(table).listEntities(options(query), null, null)
                    .iterableByPage((String) token).iterator().next();
                var rows = page.getValue().stream().map(TablesDriver::decode).toList();
                return new Page(rows, page.getContinuationToken());
            });
        }

        @Override
        public List<String> transaction(String table, List<Action> actions) {
            return tagsOf(sent(() -> of(table).submitTransaction(actions(actions))));
        }

        @Override
        public Map<String, Policy> policies(String table) {
            return policiesOf(sent(() -> of(table).getAccessPolicies()));
        }

        @Override
        public void setPolicies(String table, Map<String, Policy> policies) {
            sent(() -> of(table).setAccessPoliciesWithResponse(identifiersOf(policies), null, null));
        }

        @Override
        public void setProperties(Integer days, List<String> origins) {
            sent(() -> service.setPropertiesWithResponse(propertiesOf(days, origins), null, null));
        }

        @Override
        public Properties properties() {
            return propertiesOf(sent(service::getProperties));
        }

        @Override
        public String statistics() {
            return sent(service::getStatistics).getGeoReplication().getStatus().toString();
        }
    }
}
