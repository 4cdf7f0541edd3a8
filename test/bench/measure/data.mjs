/** Number of entities in a partition, unless all are in one. */
export const partitionRows = 1000;

const pad = (number, width) => String(number).padStart(width, '0');

/** Returns the keys of entity `i`. */
export function keyOf(i, single) {
  return { pk: single ? 'p' : `p${pad(Math.floor(i / partitionRows), 6)}`, rk: `r${pad(i, 8)}` };
}

/** Returns the body of entity `i`: eight properties, about 480 bytes of JSON. */
export function bodyOf({ pk, rk }, i) {
  return JSON.stringify({
    PartitionKey: pk,
    RowKey: rk,
    Name: `name-${pad(i, 8)}`,
    Count: i % 100000,
    'Big@odata.type': 'Edm.Int64',
    Big: String(i * 1000003),
    Ratio: i / 7 + 0.1,
    Active: i % 2 === 0,
    'When@odata.type': 'Edm.DateTime',
    When: '2026-11-21T10:00:00.1234567Z',
    'Id@odata.type': 'Edm.Guid',
    Id: `c9da6455-213d-42c9-9a79-${pad(i.toString(16), 12)}`,
    Text: `The quick brown fox ${i} jumps over the lazy dog ${i * 31} times, and so on and so forth.`,
  });
}

/** Returns the path of an entity. */
export function pathOf(table, { pk, rk }) {
  return `/${table}(PartitionKey='${pk}',RowKey='${rk}')`;
}

/** Returns a transaction as the current JavaScript SDK writes it. Each operation has the same method. */
export function batchOf(table, entities, method = 'POST') {
  const batch = 'batch_7d2f6a30-5f34-4e0c-9c53-1c1d2b3a4f50';
  const changes = 'changeset_7d2f6a30-5f34-4e0c-9c53-1c1d2b3a4f50';
  const parts = entities.map(({ key, body }) => {
    const path = method === 'POST' ? `/${table}` : pathOf(table, key);
    const head =
      method === 'POST'
        ? 'Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n'
        : 'Accept: application/json;odata=minimalmetadata\r\nIf-Match: *\r\n';
    return (
      `--${changes}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
      `${method} http://127.0.0.1:10002/devstoreaccount1${path} HTTP/1.1\r\n${head}\r\n${body ?? ''}\r\n`
    );
  });
  return {
    contentType: `multipart/mixed; boundary=${batch}`,
    body: `--${batch}\r\nContent-Type: multipart/mixed; boundary=${changes}\r\n\r\n${parts.join('')}--${changes}--\r\n--${batch}--\r\n`,
  };
}

/** Returns the numbers from 0 to `count - 1` in a random order that is the same in every run. */
export function shuffled(count) {
  const numbers = Array.from({ length: count }, (_, i) => i);
  let seed = 42;
  for (let i = count - 1; i > 0; i--) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const j = seed % (i + 1);
    [numbers[i], numbers[j]] = [numbers[j], numbers[i]];
  }
  return numbers;
}
