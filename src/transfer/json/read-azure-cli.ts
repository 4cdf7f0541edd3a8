import type { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { readMembers } from '../../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import { TableError } from '../../protocol/errors.js';

/**
 * Reads entities as `az storage entity query` prints them: with the ETag as `etag`, and an Int64 as an object with its type. Its other
 * types are plain values, so dates, Guids and binary values are strings.
 */
export const azureCli: Pick<AlikeBodies, 'read'> = {
  read(text) {
    const types: JsonMember[] = [];
    const values = readJsonObject(text)
      .filter(({ name }) => name !== 'etag')
      .map((member) => {
        const [type, value] = member.kind === 'nested' ? readTyped(member.json) : [];
        if (!type || !value) return member;
        types.push({ ...type, name: member.name });
        // The service takes a large number only as a string.
        return {
          name: member.name,
          kind: 'string',
          json: value.kind === 'number' ? `"${value.json}"` : value.json,
        } as const;
      });
    return readMembers(values, types);
  },
};

/** Returns type and value of `{"edm_type":"Edm.Int64","value":1}`; nothing for anything else. */
function readTyped(json: string): readonly (JsonMember | undefined)[] {
  try {
    const members = readJsonObject(json);
    return ['edm_type', 'value'].map((wanted) => members.find(({ name }) => name === wanted));
  } catch (error) {
    if (error instanceof TableError) return [];
    throw error;
  }
}
