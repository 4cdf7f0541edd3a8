import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { BodyText } from '../../../src/formats/body-text.js';
import { getServiceProperties, setServiceProperties } from '../../../src/operations/account.js';
import type { RequestContext, StoreOperation } from '../../../src/operations/operation.js';
import { defaultServiceProperties } from '../../../src/protocol/service-properties.js';
import { openStore } from '../../../src/store/open-store.js';
import type { TableStore } from '../../../src/store/store.js';
import { operationRequest } from '../../support/clients/operation-request.js';

const root = (part: string) => `<StorageServiceProperties>${part}</StorageServiceProperties>`;
const logging =
  '<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write><Delete>true</Delete>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>';
const metrics =
  '<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>';

describe('Set Table Service Properties', () => {
  let store: TableStore;
  const set = (body: string) => run(setServiceProperties, {}, body);
  const run = async (operation: StoreOperation, changes: Partial<RequestContext> = {}, body = '') => {
    const request = operationRequest(store, { resource: { kind: 'service' }, ...changes });
    return operation.run(request, store, operation.read?.(request, new BodyText(body)));
  };
  beforeAll(async () => {
    store = await openStore({ engine: 'memory' }, { clock: createClock(), cacheBytes: 0 });
  });
  afterAll(() => store.close());

  it('keeps both settings when two concurrent requests change different ones', async () => {
    await Promise.all([set(root(logging)), set(root(metrics))]);

    expect(await run(getServiceProperties)).toMatchObject({
      kind: 'service-properties',
      properties: { logging: { read: true, write: true, delete: true }, minuteMetrics: { includeApis: true } },
    });
  });

  it('keeps the settings of each account separate', async () => {
    await set(root(logging));

    expect(await run(getServiceProperties, { account: 'other' })).toEqual({
      kind: 'service-properties',
      properties: defaultServiceProperties,
    });
  });
});
