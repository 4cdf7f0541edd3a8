package clients;

import clients.Model.Access;
import clients.Model.Action;
import clients.Model.Entity;
import clients.Model.Page;
import clients.Model.Policy;
import clients.Model.Properties;
import clients.Model.Query;
import clients.Model.Rights;
import clients.Model.Value;
import java.util.List;
import java.util.Map;

/** One unmodified client. */
interface Driver {
    String name();

    String version();

    String prefix();

    /** Whether instants have 100 ns. */
    boolean hasTicks();

    /** Whether the client writes a value with its type. */
    boolean canWrite(Value value);

    Client open(Access access) throws Exception;

    /** A client whose statistics come from the secondary endpoint. */
    Client openStatistics() throws Exception;

    String sign(Rights rights) throws Exception;

    /** The calls of a client. Each throws Rejected for a rejection of the service. */
    interface Client {
        void createTable(String table) throws Exception;

        void deleteTable(String table) throws Exception;

        List<List<String>> tablePages(String filter, Integer size) throws Exception;

        String insert(String table, Entity entity) throws Exception;

        Entity get(String table, String partition, String row, List<String> select) throws Exception;

        String update(String table, Entity entity, String mode, String tag) throws Exception;

        String upsert(String table, Entity entity, String mode) throws Exception;

        void delete(String table, String partition, String row, String tag) throws Exception;

        List<Entity> list(String table, Query query) throws Exception;

        /** Reads one entity of a query and abandons the rest. */
        Entity first(String table) throws Exception;

        Page page(String table, Query query, Object token) throws Exception;

        List<String> transaction(String table, List<Action> actions) throws Exception;

        Map<String, Policy> policies(String table) throws Exception;

        void setPolicies(String table, Map<String, Policy> policies) throws Exception;

        void setProperties(Integer days, List<String> origins) throws Exception;

        Properties properties() throws Exception;

        String statistics() throws Exception;
    }
}
