import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/entity/clock.js';
import { getServiceProperties } from '../../../src/operations/get-service-properties.js';
import type { OperationRequest, StoreOperation } from '../../../src/operations/operation.js';
import { setServiceProperties } from '../../../src/operations/set-service-properties.js';
import { openStore } from '../../../src/store/open-store.js';
import type { TableStore } from '../../../src/store/store.js';
import { operationRequest } from '../../support/operation-request.js';

const root = (part: string) => `<StorageServiceProperties>${part}</StorageServiceProperties>`;
const logging =
  '<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write><Delete>true</Delete>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>';
const metrics =
  '<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>';

describe('Set Table Service Properties', () => {
  let store: TableStore;
  const run = (operation: StoreOperation, body: string, changes: Partial<OperationRequest> = {}) =>
    Promise.resolve(
      operation.run(operationRequest({ resource: { kind: 'service' }, body, ...changes }), store, undefined),
    );
  beforeAll(async () => {
    store = await openStore({ clock: createClock(), cacheBytes: 0 });
  });
  afterAll(() => store.close());

  it('keeps both settings when two concurrent requests change different ones', async () => {
    await Promise.all([run(setServiceProperties, root(logging)), run(setServiceProperties, root(metrics))]);

    const { xml } = await run(getServiceProperties, '');
    expect(xml).toContain(logging);
    expect(xml).toContain(metrics);
  });

  it('keeps the settings of each account separate', async () => {
    await run(setServiceProperties, root(logging));

    const { xml } = await run(getServiceProperties, '', { account: 'other' });

    expect(xml).not.toContain(logging);
  });
});
