import type { State } from '../state/state.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import { readFields } from './read-fields.js';

const snapshots = `${controlRoot}/snapshots`;

/** Returns the rows that change the state of the data as a whole. */
export function stateRows(state: State): readonly ControlRow[] {
  const rows: readonly ControlRow[] = [
    {
      method: 'POST',
      path: `${controlRoot}/reset`,
      purpose: 'resets all accounts, or {"account","table","tablePrefix","partition","to"}',
      takes: 'json',
      async run({ body }) {
        const types = {
          account: 'name',
          table: 'name',
          tablePrefix: 'name',
          // An entity may have an empty PartitionKey.
          partition: 'string',
          to: 'name',
        } as const;
        return answerJson(200, await state.reset(readFields(body, types)));
      },
    },
    {
      method: 'GET',
      path: snapshots,
      purpose: 'all snapshots',
      run: async () => answerJson(200, { snapshots: await state.listSnapshots() }),
    },
    {
      method: 'GET',
      path: `${snapshots}/*`,
      purpose: 'one snapshot by its name',
      run: async ({ path }) => answerJson(200, await state.snapshot(nameIn(path))),
    },
    {
      method: 'PUT',
      path: `${snapshots}/*`,
      purpose: 'takes a snapshot of all accounts, or of {"account"}',
      takes: 'json',
      async run({ path, body }) {
        const { account } = readFields(body, { account: 'name' });
        return answerJson(200, await state.takeSnapshot(nameIn(path), account === undefined ? undefined : [account]));
      },
    },
    {
      method: 'POST',
      path: `${snapshots}/*`,
      purpose: 'with /restore after the name: restores a snapshot, or its {"account"}',
      takes: 'json',
      async run({ path, body }) {
        const { account } = readFields(body, { account: 'name' });
        const [name, verb] = splitEnd(path);
        if (verb !== 'restore') return answerJson(404, { error: `Ask for ${path}/restore.` });
        return answerJson(200, await state.restoreSnapshot(nameIn(name), account));
      },
    },
    {
      method: 'DELETE',
      path: `${snapshots}/*`,
      purpose: 'deletes a snapshot',
      async run({ path }) {
        await state.deleteSnapshot(nameIn(path));
        return answerJson(200, {});
      },
    },
  ];
  return rows.map((row) => ({ ...row, run: explaining(row.run) }));
}

/** Returns the name that a path ends with. No name needs escapes, so it is taken as it is. */
function nameIn(path: string): string {
  return path.slice(snapshots.length + 1);
}

function splitEnd(path: string): readonly [path: string, last: string] {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
}
