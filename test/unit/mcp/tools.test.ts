import { describe, expect, it } from 'vitest';
import { agentVerbs, toolName, toolOf } from '../../../src/mcp/tool-of.js';
import { allVerbs } from '../../../src/verbs/registry.js';

/** The verbs that agents do not have as tools, each with the reason. */
const withoutTool: Readonly<Record<string, string>> = {
  'branch delete': 'a branch ends by itself',
  'branch list': 'the answer of branch create has everything',
  'change follow': 'it never ends',
  'clock advance': 'tests move the clock by the library',
  'clock freeze': 'tests move the clock by the library',
  'clock resume': 'tests move the clock by the library',
  'clock show': 'tests move the clock by the library',
  'coach clear': 'a mark separates requests, and loses nothing',
  'coach follow': 'it never ends',
  copy: 'the connection string of another account is a secret',
  'entity delete': 'agents change entities by their code, as in the cloud',
  export: 'it sends a file',
  'fault delete': 'fault clear removes all rules',
  'fault list': 'the answer of fault create has the rules',
  health: 'info says more',
  'identity environment': 'it sends secrets',
  'identity list': 'identities belong to people',
  'identity token': 'it sends secrets',
  import: 'it takes a file',
  live: 'it never ends',
  'policy sign': 'it signs for the page',
  'request follow': 'it never ends',
  sas: 'it signs for the page',
  session: 'it signs for the page',
  'snapshot delete': 'it cannot be undone',
  'undo list': 'each call that can be undone says how',
};

describe('Tools of coding agents', () => {
  it('are all verbs but those with a reason', () => {
    const without = allVerbs.filter(({ agent }) => !agent).map(({ name }) => name);
    expect(without.sort()).toEqual(Object.keys(withoutTool).sort());
    expect(agentVerbs(false).length).toBeGreaterThanOrEqual(20);
    expect(allVerbs.filter(({ agent, sends }) => agent && sends)).toEqual([]);
  });

  it.each(agentVerbs(false).map((verb) => [toolName(verb), verb] as const))(
    '%s is described in 300 characters',
    (name, verb) => {
      const { description, inputSchema, annotations } = toolOf(verb);
      expect(name).toMatch(/^[a-z_]{2,64}$/);
      expect(description.length).toBeLessThanOrEqual(300);
      expect(verb.agent.when).toMatch(/^Call it .+\.$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(annotations).toMatchObject({ readOnlyHint: verb.changes === 'nothing', openWorldHint: false });
    },
  );

  it('take at most 16,000 bytes together', () => {
    const tools = agentVerbs(false).map((verb) => toolOf(verb));
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(16_000);
  });

  it('that remove data say so', () => {
    const destructive = agentVerbs(false).filter(({ agent }) => agent.destroys);
    expect(destructive.map(toolName).sort()).toEqual(['reset', 'snapshot_create', 'snapshot_restore', 'undo']);
  });

  it('of a reader change nothing, and give away no key', () => {
    const names = agentVerbs(true).map(toolName);
    expect(names).toContain('entity_list');
    for (const name of ['reset', 'mark', 'connection_string', 'fault_create']) expect(names).not.toContain(name);
  });
});

describe('The schema of a tool', () => {
  const schemaOf = (name: string) => {
    const [verb] = agentVerbs(false).filter((one) => toolName(one) === name);
    if (!verb) throw new Error(name);
    return toolOf(verb, true);
  };

  it('says which fields it needs, with examples', () => {
    expect(schemaOf('entity_count').inputSchema).toMatchObject({
      required: ['table'],
      properties: {
        table: { type: 'string', description: 'The table.', examples: ['Orders'] },
        filter: { type: 'string', examples: ["PartitionKey eq 'p'"] },
      },
    });
  });

  it('says the limit that agents get', () => {
    expect(schemaOf('request_list').inputSchema).toMatchObject({
      properties: { limit: { description: 'How many of the newest requests (default: 20).' } },
    });
  });

  it('has that of the answer if asked for', () => {
    expect(schemaOf('entity_count').outputSchema).toMatchObject({
      type: 'object',
      required: ['class', 'text', 'entities'],
    });
  });
});
