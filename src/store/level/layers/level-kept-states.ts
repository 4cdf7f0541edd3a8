import type { KeptId, KeptKind, KeptState, KeptStates } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import { decide } from '../decide.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers } from './replace-tables.js';
import { freezeAccount, layersOf } from './snapshot-record.js';

/** Keeps states of accounts by naming the layers of their tables, as snapshots do. */
export class LevelKeptStates implements KeptStates {
  readonly #parts: LevelParts;

  constructor(parts: LevelParts) {
    this.#parts = parts;
  }

  begin(id: KeptId, accounts: readonly string[], concerns: TableSelection | undefined, note?: string): Promise<void> {
    const { kept, clock } = this.#parts;
    return decide(this.#parts, () => {
      const released = layersOf(kept.findPending(keptName(id)));
      const frozen = accounts.map((account) => freezeAccount(this.#parts, account, concerns));
      const record = { kind: id.kind, id: id.id, at: clock.nextTimestamp(), accounts: frozen };
      const put = kept.put(keptName(id), { ...record, ...(note !== undefined && { note }) });
      return { result: undefined, changes: [put, ...dropLayers(this.#parts, released)] };
    });
  }

  note(id: KeptId, note: string): Promise<void> {
    const { kept } = this.#parts;
    return decide(this.#parts, () => {
      const found = kept.findPending(keptName(id));
      return { result: undefined, ...(found && { changes: [kept.put(keptName(id), { ...found, note })] }) };
    });
  }

  async list(kind: KeptKind): Promise<readonly KeptState[]> {
    return this.#parts.kept.list().filter((one) => one.kind === kind);
  }

  drop(id: KeptId): Promise<boolean> {
    const { kept } = this.#parts;
    return decide(this.#parts, () => {
      const found = kept.findPending(keptName(id));
      if (!found) return { result: false };
      return { result: true, changes: [kept.remove(keptName(id)), ...dropLayers(this.#parts, layersOf(found))] };
    });
  }
}
