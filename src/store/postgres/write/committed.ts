import type { JudgedChange } from '../../judge-changes.js';
import { bodyOf, textOf, timeOf } from '../schema/stamps.js';
import type { GroupChange } from './judge-group.js';

/** Returns a change with its stamps. `base` is the stamp from which the offsets of its group count. */
export function committed({ judged, offset, made, previousOffset }: GroupChange, base: bigint): JudgedChange {
  const ticks = (from: number) => String(base + BigInt(from));
  const { previous } = judged;
  const isOfGroup = typeof previous === 'string' && previousOffset !== undefined;
  return {
    key: judged.key,
    value: made && textOf(made.body, ticks(made.offset)),
    previous: isOfGroup ? textOf(bodyOf(previous), ticks(previousOffset)) : previous,
    timestamp: timeOf(ticks(offset)),
  };
}
