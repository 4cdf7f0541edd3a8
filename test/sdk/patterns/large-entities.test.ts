/**
 * Large entities
 *
 * Problem: An entity is limited to 1 MiB, and a property to 64 KiB. A photo goes into a blob, and the entity contains the name
 * of the blob.
 *
 * | where | name or keys | what it is |
 * | --- | --- | --- |
 * | table `Staff` | `Sales`, `000123` | an employee, with the name of the photo |
 * | blob | `photo-1` | the photo |
 *
 * When not: The value fits into the entity: it can then be read and changed with the rest, in one transaction.
 *
 * Source: Table design guide, "Large entities pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query } from '../../support/docs/describe-pattern.js';
import { BlobStandIn } from '../../support/servers/blob-stand-in.js';

interface Employee {
  readonly name: string;
  readonly photo: string;
}

/** The photo comes first: an entity never names a blob that does not exist. The old one goes last, if it is still the old one. */
async function setPhoto(staff: TableClient, photos: BlobStandIn, id: string, name: string, bytes: Buffer) {
  const { photo: old, etag } = await staff.getEntity<Employee>('Sales', id);
  photos.upload(name, bytes);
  await staff.updateEntity({ partitionKey: 'Sales', rowKey: id, photo: name }, 'Merge', { etag });
  photos.delete(old);
}

async function readPhoto(staff: TableClient, photos: BlobStandIn, id: string) {
  const { photo } = await staff.getEntity<Employee>('Sales', id);
  return photos.download(photo);
}

/** A client that stops halfway leaves a photo that no entity names. Run this when no photo is being set. */
async function removeOrphans(staff: TableClient, photos: BlobStandIn) {
  const filter = odata`PartitionKey eq 'Sales'`;
  const named = await all(staff.listEntities<Employee>({ queryOptions: { filter, select: ['photo'] } }));
  const known = new Set(named.map(({ photo }) => photo));
  for (const name of photos.list()) if (!known.has(name)) photos.delete(name);
}

describePattern(import.meta.url, async ({ table, cuttable, step }) => {
  const [staff, photos] = [await table('Staff'), new BlobStandIn()];
  const photo = (fill: number) => Buffer.alloc(2 * 1024 * 1024, fill);
  await staff.createEntity({ partitionKey: 'Sales', rowKey: '000123', name: 'Jones', photo: '' });

  const set = { ...points(1), transactions: 2 };
  await step('set a photo of 2 MiB', set, () => setPhoto(staff, photos, '000123', 'photo-1', photo(1)));
  const read = await step('read the photo', points(1), () => readPhoto(staff, photos, '000123'));
  expect(read?.equals(photo(1))).toBe(true);

  // The connection breaks after the upload. The employee keeps the old photo, and the new one is an orphan.
  const unreliable = await cuttable(staff);
  unreliable.cutAfter(1);
  await expect(setPhoto(unreliable.table, photos, '000123', 'photo-2', photo(2))).rejects.toThrow();
  expect((await readPhoto(staff, photos, '000123'))?.equals(photo(1))).toBe(true);
  expect(photos.list()).toEqual(['photo-1', 'photo-2']);
  await step('remove orphans', query('partition-scan', 1), () => removeOrphans(staff, photos));
  expect(photos.list()).toEqual(['photo-1']);
});
