import { permitsNeed } from '../../protocol/access/permitted-actions.js';
import { builtInRoles, type HeldRole, type RoleNeed, tableServiceActions } from '../../protocol/access/roles.js';
import type { Explanation } from '../../protocol/explanation.js';
import type { RefusalEvidence } from '../../protocol/refusal-evidence.js';

type Evidence<Check extends RefusalEvidence['check']> = Extract<RefusalEvidence, { readonly check: Check }>;

/** Explains that the roles of an identity do not permit an operation: what it has, what is missing, and which role has it. */
export function explainRole({
  identity,
  isListed,
  held,
  elsewhere,
  need,
  account,
  table,
}: Evidence<'role'>): Explanation {
  const cause = 'role';
  const place = table === undefined ? `the account ${account}` : `the table ${table} of ${account}`;
  if (!isListed) {
    return {
      cause,
      text: `The identity file does not list the identity ${identity}, so it has no role.`,
      advice: `Add it with "objectId": "${identity}" and its roles.`,
    };
  }
  const has = held.length === 0 ? 'no role' : held.map(written).join(', ');
  const needs = need === undefined ? 'more than any role has' : need.anyOf.map(writtenActions).join(', or ');
  const text = `The identity ${identity} has ${has}. The operation needs ${needs} on ${place}.`;
  if (elsewhere.length > 0) {
    const [limited] = elsewhere;
    return { cause: 'role-scope', text, advice: `${limited?.role} permits it, but not there. Assign it on ${place}.` };
  }
  const [permitting] = need ? builtInRoles.filter((role) => permitsNeed(role, need)) : [];
  const advice = permitting && `${permitting.name} permits it.`;
  if (need?.plane === 'dataActions' && held.some(({ role }) => managers.has(role))) {
    const words = 'Its roles manage accounts and tables; entities need a data role.';
    return { cause: 'role-plane', text, advice: [words, advice].filter(Boolean).join(' ') };
  }
  return { cause, text, ...(advice !== undefined && { advice }) };
}

/** The built-in roles that permit something, but nothing with entities. */
const managers: ReadonlySet<string> = new Set(
  builtInRoles.filter(({ dataActions }) => dataActions.length === 0).map(({ name }) => name),
);

function written({ role, account, table }: HeldRole): string {
  if (account === undefined) return role;
  return `${role} on ${table === undefined ? account : `the table ${table} of ${account}`}`;
}

function writtenActions(actions: RoleNeed['anyOf'][number]): string {
  return actions.map((action) => action.slice(tableServiceActions.length + 1)).join(' and ');
}

/** Explains that a bearer token is not accepted, with the values that were compared. It never shows the token. */
export function explainToken({ fault, expected, found }: Evidence<'token'>): Explanation {
  const compared = [expected && `expected ${expected}`, found && `found ${found}`].filter(Boolean).join('; ');
  return {
    cause: 'bearer-token',
    text: `The token was rejected. ${fault}${compared === '' ? '' : ` (${compared})`}`,
    advice: adviceFor(fault, found),
  };
}

function adviceFor(fault: string, found: string | undefined): string {
  if (found?.includes('cosmos.azure.com')) {
    return 'Clients request a Cosmos DB token if the host is localhost. Use 127.0.0.1 in the endpoint.';
  }
  if (fault.startsWith('Audience')) return 'Request the scope https://storage.azure.com/.default.';
  if (fault.includes('key of the token is not known')) {
    return 'The token is from another server or an earlier start; a server in memory has a new key each time. Restart the program.';
  }
  if (fault.startsWith('Lifetime')) return 'Get a new token, and compare the clocks.';
  if (fault.startsWith('Issuer')) return 'Get the token from this server, or list its issuer under "trusted".';
  return 'Get the token from this server, with DefaultAzureCredential or with the command identity token.';
}
