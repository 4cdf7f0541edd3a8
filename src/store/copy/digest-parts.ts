import { createHash } from 'node:crypto';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { StoredPart } from './stored-parts.js';

/** What a store keeps, in numbers. Two stores with the same data have the same digest, on any engine. */
export interface StoreDigest {
  /** Number of accounts whose service properties were written. */
  readonly settings: number;
  readonly tables: number;
  readonly entities: number;
  /** SHA-256 over everything, in hex. */
  readonly checksum: string;
  /** Describes each settings record and table by a name for messages. */
  readonly pieces: ReadonlyMap<string, PieceDigest>;
}

/** The digest of the settings of an account, or of a table. */
export interface PieceDigest {
  readonly entities: number;
  readonly checksum: string;
}

/**
 * Returns the digest of all parts. Entities count byte for byte, settings and policies by their values. The clock does
 * not count, because it advances.
 *
 * `onEntities` is called with the number of entities of each part. An error that it throws ends the reading.
 */
export async function digestParts(
  parts: AsyncIterable<StoredPart>,
  onEntities: (count: number) => void = () => {},
): Promise<StoreDigest> {
  const pieces = new Map<string, PieceDigest>();
  let settings = 0;
  let tables = 0;
  let entities = 0;
  let piece: OpenPiece | undefined;
  const finish = () => {
    if (piece) pieces.set(piece.name, { entities: piece.entities, checksum: piece.hash.digest('hex') });
  };
  for await (const part of parts) {
    switch (part.kind) {
      case 'clock':
        break;
      case 'account':
        finish();
        piece = openPiece(`the account ${part.account}`, JSON.stringify([part.service, part.exactNames]));
        break;
      case 'settings':
        finish();
        settings++;
        piece = openPiece(`the settings of the account ${part.account}`, settingsText(part.properties));
        break;
      case 'table':
        finish();
        tables++;
        piece = openPiece(
          `the table ${part.name} of the account ${part.account}`,
          JSON.stringify([part.created, part.policies.map(policyFields), ...(part.order ? [part.order] : [])]),
        );
        break;
      case 'entities':
        entities += part.texts.length;
        if (piece) {
          piece.entities += part.texts.length;
          // With the length before it, no two lists of texts are the same bytes.
          const { texts, places = [] } = part;
          piece.hash.update(texts.map((text, at) => `${text.length}:${text}${places[at] ?? ''}`).join(''));
        }
        onEntities(part.texts.length);
    }
  }
  finish();
  const all = createHash('sha256').update(JSON.stringify([...pieces]));
  return { settings, tables, entities, checksum: all.digest('hex'), pieces };
}

interface OpenPiece {
  readonly name: string;
  readonly hash: ReturnType<typeof createHash>;
  entities: number;
}

function openPiece(name: string, text: string): OpenPiece {
  return { name, hash: createHash('sha256').update(text), entities: 0 };
}

/** Engines keep the settings in their own order. */
function settingsText({ logging, hourMetrics, minuteMetrics, cors }: ServiceProperties): string {
  return JSON.stringify([logging, hourMetrics, minuteMetrics, cors]);
}

function policyFields({ id, start, expiry, permission }: AccessPolicy): readonly (string | null)[] {
  return [id, start ?? null, expiry ?? null, permission ?? null];
}
