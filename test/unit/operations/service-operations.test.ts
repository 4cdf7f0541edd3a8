import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import { createClock } from '../../../src/entity/clock.js';
import { getServiceProperties } from '../../../src/operations/get-service-properties.js';
import { getServiceStats } from '../../../src/operations/get-service-stats.js';
import type { OperationRequest } from '../../../src/operations/operation.js';
import { setServiceProperties } from '../../../src/operations/set-service-properties.js';
import { openStore } from '../../../src/store/open-store.js';
import type { TableStore } from '../../../src/store/store.js';

const request = (body: string, changes: Partial<OperationRequest> = {}): OperationRequest => ({
  account: 'devstoreaccount1',
  secondary: false,
  identity: { kind: 'shared-key' },
  resource: { kind: 'service' },
  query: new Query(''),
  base: 'http://localhost/devstoreaccount1',
  version: '2019-02-02',
  level: 'minimalmetadata',
  prefer: undefined,
  ifMatch: undefined,
  ifNoneMatch: undefined,
  body,
  isGone: () => false,
  ...changes,
});
const root = (part: string) => `<StorageServiceProperties>${part}</StorageServiceProperties>`;
const logging =
  '<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write><Delete>true</Delete>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>';
const metrics =
  '<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>' +
  '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>';

describe('Set Table Service Properties', () => {
  let store: TableStore;
  beforeAll(async () => {
    store = await openStore({ clock: createClock(), cacheBytes: 0 });
  });
  afterAll(() => store.close());

  it('loses no setting when two requests change different ones at once', async () => {
    await Promise.all([
      setServiceProperties.run(request(root(logging)), store),
      setServiceProperties.run(request(root(metrics)), store),
    ]);

    const { xml } = await getServiceProperties.run(request(''), store);
    expect(xml).toContain(logging);
    expect(xml).toContain(metrics);
  });

  it('keeps the settings of accounts apart', async () => {
    await setServiceProperties.run(request(root(logging)), store);

    const { xml } = await getServiceProperties.run(request('', { account: 'other' }), store);

    expect(xml).not.toContain(logging);
  });
});

describe('Get Table Service Stats', () => {
  it('asks what the caller may before it looks where it was asked', () => {
    const identity = {
      kind: 'account-signature',
      version: '2019-02-02',
      resourceTypes: 's',
      permissions: 'w',
    } as const;
    const ask = () => getServiceStats.admit?.(request('', { identity }));

    expect(ask).toThrow(expect.objectContaining({ code: 'AuthorizationPermissionMismatch' }));
  });
});
