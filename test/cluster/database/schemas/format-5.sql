-- A schema of format 5, as a server of that format left it when it was killed. `test/cluster/database/older-schema.test.ts` says what it holds.
CREATE TABLE accounts (
    account text NOT NULL,
    service text NOT NULL,
    exact_names boolean NOT NULL
);
CREATE TABLE branches (
    account text NOT NULL,
    source text NOT NULL,
    snapshot text,
    key text NOT NULL,
    expires bigint NOT NULL,
    ended timestamp with time zone
);
CREATE TABLE dropped (
    table_id bigint NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE entities (
    table_id bigint NOT NULL,
    pk bytea NOT NULL,
    rk bytea NOT NULL,
    ts bigint NOT NULL,
    body text NOT NULL,
    place bigint
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02');
CREATE TABLE fault_rules (
    number bigint NOT NULL,
    rule text NOT NULL,
    times bigint,
    ends timestamp with time zone NOT NULL,
    matched bigint DEFAULT 0 NOT NULL,
    hits bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE fault_rules ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME fault_rules_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE fault_version (
    version integer NOT NULL
);
CREATE TABLE format (
    version integer NOT NULL
);
CREATE SEQUENCE places
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE settings (
    account text NOT NULL,
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE snapshots (
    name text NOT NULL,
    at bigint NOT NULL,
    accounts text NOT NULL,
    ids bigint[] NOT NULL,
    note text
);
CREATE TABLE tables (
    account text NOT NULL,
    name_key text NOT NULL,
    name text NOT NULL,
    id bigint NOT NULL,
    created bigint NOT NULL,
    policies text NOT NULL,
    row_order text
);
ALTER TABLE tables ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tables_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE SEQUENCE undos
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE writers (
    id bigint NOT NULL,
    seq bigint NOT NULL,
    answer text,
    seen timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
INSERT INTO accounts VALUES ('localhost', 'cosmos', true);
INSERT INTO branches VALUES ('byw6smtzzg7', 'devstoreaccount1', 'base', '7NbljQekyq0Qypb3p28Yxk4WnOgbAL5JQmMD1ReN5Y4fnAnlPcvV/1AjGEnX0a4bg+Yd0bzQvJN2k1iJxKMbtw==', 1796102416769, NULL);
INSERT INTO dropped VALUES (2, 134401440186740500);
INSERT INTO dropped VALUES (1, 134401440193678410);
INSERT INTO dropped VALUES (6, 134401440193679870);
INSERT INTO dropped VALUES (10, 134401440193679910);
INSERT INTO dropped VALUES (11, 134401440199844720);
INSERT INTO dropped VALUES (12, 134401440199844940);
INSERT INTO entities VALUES (1, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (1, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (2, '\x0061', '\x', 134401440145696722, '"PartitionKey":"a","RowKey":"","Timestamp":"","B@odata.type":"Edm.Binary","B":"AQI="}', NULL);
INSERT INTO entities VALUES (2, '\x0061', '\x0078', 134401440145696715, '"PartitionKey":"a","RowKey":"x","Timestamp":"","D":1.5}', NULL);
INSERT INTO entities VALUES (3, '\x0070', '\x00660069007200730074', 134401440148732026, '"PartitionKey":"p","RowKey":"first","Timestamp":""}', 2);
INSERT INTO entities VALUES (3, '\x0070', '\x007300650063006f006e0064', 134401440148732019, '"PartitionKey":"p","RowKey":"second","Timestamp":""}', 1);
INSERT INTO entities VALUES (4, '\x0070', '\x0030', 134401440143837857, '"PartitionKey":"p","RowKey":"0","Timestamp":"","N":0,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (4, '\x0070', '\x0031', 134401440143837864, '"PartitionKey":"p","RowKey":"1","Timestamp":"","N":1,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (4, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (4, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (5, '\x0061', '\x', 134401440145696722, '"PartitionKey":"a","RowKey":"","Timestamp":"","B@odata.type":"Edm.Binary","B":"AQI="}', NULL);
INSERT INTO entities VALUES (5, '\x0061', '\x0078', 134401440145696715, '"PartitionKey":"a","RowKey":"x","Timestamp":"","D":1.5}', NULL);
INSERT INTO entities VALUES (6, '\x006c', '\x0031', 134401440165075793, '"PartitionKey":"l","RowKey":"1","Timestamp":""}', NULL);
INSERT INTO entities VALUES (7, '\x0070', '\x0030', 134401440143837857, '"PartitionKey":"p","RowKey":"0","Timestamp":"","N":0,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (7, '\x0070', '\x0031', 134401440143837864, '"PartitionKey":"p","RowKey":"1","Timestamp":"","N":1,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (7, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (7, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (8, '\x0061', '\x', 134401440145696722, '"PartitionKey":"a","RowKey":"","Timestamp":"","B@odata.type":"Edm.Binary","B":"AQI="}', NULL);
INSERT INTO entities VALUES (8, '\x0061', '\x0078', 134401440145696715, '"PartitionKey":"a","RowKey":"x","Timestamp":"","D":1.5}', NULL);
INSERT INTO entities VALUES (9, '\x0070', '\x0030', 134401440143837857, '"PartitionKey":"p","RowKey":"0","Timestamp":"","N":0,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (9, '\x0070', '\x0031', 134401440143837864, '"PartitionKey":"p","RowKey":"1","Timestamp":"","N":1,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (9, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (9, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (11, '\x0070', '\x0030', 134401440143837857, '"PartitionKey":"p","RowKey":"0","Timestamp":"","N":0,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (11, '\x0070', '\x0031', 134401440143837864, '"PartitionKey":"p","RowKey":"1","Timestamp":"","N":1,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (11, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (11, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (12, '\x0061', '\x', 134401440145696722, '"PartitionKey":"a","RowKey":"","Timestamp":"","B@odata.type":"Edm.Binary","B":"AQI="}', NULL);
INSERT INTO entities VALUES (12, '\x0061', '\x0078', 134401440145696715, '"PartitionKey":"a","RowKey":"x","Timestamp":"","D":1.5}', NULL);
INSERT INTO entities VALUES (13, '\x0070', '\x0030', 134401440143837857, '"PartitionKey":"p","RowKey":"0","Timestamp":"","N":0,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (13, '\x0070', '\x0031', 134401440143837864, '"PartitionKey":"p","RowKey":"1","Timestamp":"","N":1,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (13, '\x0070', '\x0032', 134401440143837871, '"PartitionKey":"p","RowKey":"2","Timestamp":"","N":2,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (13, '\x0070', '\x0033', 134401440143837888, '"PartitionKey":"p","RowKey":"3","Timestamp":"","N":3,"L@odata.type":"Edm.Int64","L":"9007199254740993","Text":"\u00e4\ud83d\ude00"}', NULL);
INSERT INTO entities VALUES (14, '\x0061', '\x', 134401440145696722, '"PartitionKey":"a","RowKey":"","Timestamp":"","B@odata.type":"Edm.Binary","B":"AQI="}', NULL);
INSERT INTO entities VALUES (14, '\x0061', '\x0078', 134401440145696715, '"PartitionKey":"a","RowKey":"x","Timestamp":"","D":1.5}', NULL);
INSERT INTO entities VALUES (15, '\x006e00650077', '\x0031', 134401440201194424, '"PartitionKey":"new","RowKey":"1","Timestamp":""}', NULL);
INSERT INTO fault_version VALUES (0);
INSERT INTO format VALUES (5);
INSERT INTO settings VALUES ('byw6smtzzg7', 'hourMetrics', '{"includeApis":true,"retention":{"days":3}}');
INSERT INTO snapshots VALUES ('base', 134401440160964760, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"4","key":"people","name":"People","created":"134401440140963730","policies":"[{\"id\":\"reader\",\"permission\":\"r\"}]","order":null},{"id":"5","key":"places","name":"Places","created":"134401440145118920","policies":"[]","order":null}]}]', '{4,5}', NULL);
INSERT INTO snapshots VALUES ('~undo-1', 134401440180440490, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"9","key":"people","name":"People","created":"134401440140963730","policies":"[{\"id\":\"reader\",\"permission\":\"r\"}]","order":null}]}]', '{9}', '{"accounts":["devstoreaccount1"],"emptied":[],"plan":{"ranges":[{}],"filter":{"kind":"comparison","property":"N","operator":"lt","literal":{"type":"Edm.Int32","value":"2"}}},"what":"delete devstoreaccount1/People where N lt 2","id":"undo-1","settings":[],"at":"2026-11-26T05:20:18.168Z","until":"2026-11-26T05:30:18.168Z"}');
INSERT INTO snapshots VALUES ('~undo-2', 134401440186535780, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"2","key":"places","name":"Places","created":"134401440145118920","policies":"[]","order":null}]}]', '{2}', '{"accounts":["devstoreaccount1"],"emptied":[],"plan":{"ranges":[{}]},"what":"reset devstoreaccount1/Places","id":"undo-2","settings":[],"at":"2026-11-26T05:20:18.678Z","until":"2026-11-26T05:30:18.678Z"}');
INSERT INTO snapshots VALUES ('~undo-3-after', 134401440195888790, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"13","key":"people","name":"People","created":"134401440140963730","policies":"[{\"id\":\"reader\",\"permission\":\"r\"}]","order":null},{"id":"14","key":"places","name":"Places","created":"134401440145118920","policies":"[]","order":null}]}]', '{13,14}', NULL);
INSERT INTO snapshots VALUES ('~undo-3', 134401440193527500, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"1","key":"people","name":"People","created":"134401440140963730","policies":"[{\"id\":\"reader\",\"permission\":\"r\"}]","order":null},{"id":"6","key":"later","name":"Later","created":"134401440163525080","policies":"[]","order":null},{"id":"10","key":"places","name":"Places","created":"134401440145118920","policies":"[]","order":null}]}]', '{1,6,10}', '{"accounts":["devstoreaccount1"],"emptied":[],"what":"restore base","id":"undo-3","settings":[{"account":"devstoreaccount1","before":{"logging":{"read":false,"write":false,"delete":false,"retention":{}},"hourMetrics":{"includeApis":true,"retention":{"days":3}},"minuteMetrics":{"retention":{}},"cors":[]},"after":{"logging":{"read":false,"write":false,"delete":false,"retention":{}},"hourMetrics":{"includeApis":true,"retention":{"days":3}},"minuteMetrics":{"retention":{}},"cors":[]}}],"at":"2026-11-26T05:20:19.600Z","until":"2026-11-26T05:30:19.600Z"}');
INSERT INTO snapshots VALUES ('~undo-4-after', 134401440199488530, '[]', '{}', NULL);
INSERT INTO snapshots VALUES ('~undo-4', 134401440199663850, '[{"name":"devstoreaccount1","settings":[{"name":"hourMetrics","value":"{\"includeApis\":true,\"retention\":{\"days\":3}}"}],"tables":[{"id":"11","key":"people","name":"People","created":"134401440140963730","policies":"[{\"id\":\"reader\",\"permission\":\"r\"}]","order":null},{"id":"12","key":"places","name":"Places","created":"134401440145118920","policies":"[]","order":null}]}]', '{11,12}', '{"accounts":["devstoreaccount1"],"emptied":["devstoreaccount1"],"what":"reset devstoreaccount1","id":"undo-4","settings":[{"account":"devstoreaccount1","before":{"logging":{"read":false,"write":false,"delete":false,"retention":{}},"hourMetrics":{"includeApis":true,"retention":{"days":3}},"minuteMetrics":{"retention":{}},"cors":[]},"after":{"logging":{"read":false,"write":false,"delete":false,"retention":{}},"hourMetrics":{"includeApis":true,"retention":{"days":7}},"minuteMetrics":{"retention":{}},"cors":[]}}],"at":"2026-11-26T05:20:20.014Z","until":"2026-11-26T05:30:20.014Z"}');
INSERT INTO tables OVERRIDING SYSTEM VALUE VALUES ('localhost', 'People', 'People', 3, 134401440148146990, '[]', 'insertion');
INSERT INTO tables OVERRIDING SYSTEM VALUE VALUES ('byw6smtzzg7', 'people', 'People', 7, 134401440140963730, '[{"id":"reader","permission":"r"}]', NULL);
INSERT INTO tables OVERRIDING SYSTEM VALUE VALUES ('byw6smtzzg7', 'places', 'Places', 8, 134401440145118920, '[]', NULL);
INSERT INTO tables OVERRIDING SYSTEM VALUE VALUES ('devstoreaccount1', 'since', 'Since', 15, 134401440200916450, '[]', NULL);
INSERT INTO writers VALUES (194396515542901, 8, '[]', '2026-11-26 05:20:19.906176+00');
INSERT INTO writers VALUES (247671071816199, 1, '[]', '2026-11-26 05:20:19.948922+00');
INSERT INTO writers VALUES (35646350989821, 14, '["15", "134401440200916450"]', '2026-11-26 05:20:20.091456+00');
INSERT INTO writers VALUES (97532270551758, 6, '134401440201194420', '2026-11-26 05:20:20.119278+00');
SELECT pg_catalog.setval('fault_rules_number_seq', 1, false);
SELECT pg_catalog.setval('places', 2, true);
SELECT pg_catalog.setval('tables_id_seq', 15, true);
SELECT pg_catalog.setval('undos', 4, true);
ALTER TABLE ONLY accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (account);
ALTER TABLE ONLY branches
    ADD CONSTRAINT branches_pkey PRIMARY KEY (account);
ALTER TABLE ONLY dropped
    ADD CONSTRAINT dropped_pkey PRIMARY KEY (table_id);
ALTER TABLE ONLY entities
    ADD CONSTRAINT entities_pkey PRIMARY KEY (table_id, pk, rk);
ALTER TABLE ONLY fault_rules
    ADD CONSTRAINT fault_rules_pkey PRIMARY KEY (number);
ALTER TABLE ONLY settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (account, name);
ALTER TABLE ONLY snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tables
    ADD CONSTRAINT tables_id_key UNIQUE (id);
ALTER TABLE ONLY tables
    ADD CONSTRAINT tables_pkey PRIMARY KEY (account, name_key);
ALTER TABLE ONLY writers
    ADD CONSTRAINT writers_pkey PRIMARY KEY (id);
CREATE INDEX entities_by_partition_place ON entities USING btree (table_id, pk, place) WHERE (place IS NOT NULL);
CREATE INDEX entities_by_place ON entities USING btree (table_id, place) WHERE (place IS NOT NULL);
