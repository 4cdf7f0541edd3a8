import { createHash } from 'node:crypto';
import { ConfigError, escapeText, shownValue } from '../config.js';
import { readDuration } from '../duration.js';
import { didYouMean } from '../nearest-name.js';
import { builtInRoles, type RoleDefinition } from '../protocol/access/roles.js';
import { lowerAscii } from '../protocol/names.js';
import { readGuid } from '../protocol/values/guid.js';
import {
  anything,
  checked,
  choice,
  type Fields,
  faultOfFields,
  list,
  name,
  type ObjectOf,
  openObject,
  optional,
} from '../schema.js';
import { AssignedPrincipal, parseScope, type RoleAssignment } from './principal.js';
import { foldIssuer } from './tokens/token-claims.js';

/** The content of a file of identities. */
export interface IdentityDefinition {
  readonly tenant: string;
  /** How long a token is valid. Unit: seconds. */
  readonly tokenSeconds: number;
  /** Whether requests signed with a key of the account are rejected. */
  readonly rejectsKeys: boolean;
  readonly principals: readonly AssignedPrincipal[];
  readonly trusted: readonly TrustedIssuer[];
}

/** An issuer whose tokens are accepted, beside this server. */
interface TrustedIssuer {
  /** Its `iss`, with the tenant in lower case. */
  readonly issuer: string;
  /** The path of the file of its public keys, relative to the file of identities. */
  readonly jwks: string;
}

/** The lifetime of tokens, as in the cloud. (Our choice.) Unit: seconds. */
const defaultSeconds = 24 * 3600;

/** Parses a file of identities. `path` names it in messages. Errors: ConfigError with the place of the mistake. */
export function parseDefinition(text: string, path: string): IdentityDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${path} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  const duplicate = findDuplicateName(text);
  if (duplicate !== undefined) throw new ConfigError(`${path}: ${shownValue(duplicate)} appears twice.`);
  return readDefinition(value, path);
}

const guid = checked('GUID', (text) => readGuid(text) !== undefined, { wanted: 'a GUID' });

const definitionFields = {
  identities: optional(openObject('identities by their names')),
  roles: optional(openObject('roles by their names')),
  tenant: optional(guid),
  tokenLifetime: optional(
    checked('lifetime of tokens', (text) => (readDuration(text) ?? 0) >= 1000, {
      wanted: "a length of time of at least a second, such as '24h'",
    }),
  ),
  keys: optional(choice('keys of accounts', ['accepted', 'rejected'])),
  trusted: optional(list('issuers', anything('issuer'))),
};

const issuerFields = { issuer: name('its iss'), jwks: name('path of its keys', { example: 'keys.json' }) };

const actions = optional(list('actions', name('action')));

const roleFields = { actions, notActions: actions, dataActions: actions, notDataActions: actions };

const identityFields = {
  clientId: optional(guid),
  objectId: optional(guid),
  roles: optional(list('roles', anything('role'))),
};

const assignmentFields = {
  role: name('role', { example: 'Storage Table Data Reader' }),
  account: optional(name('account')),
  table: optional(name('table')),
  scope: optional(
    checked('scope', (scope) => parseScope(scope) !== undefined, {
      wanted: 'the scope of a storage account or a table, or one above it',
    }),
  ),
};

/** Checks a definition that is an object. `source` names it in messages. Errors: ConfigError with the place of the mistake. */
export function readDefinition(value: unknown, source: string): IdentityDefinition {
  try {
    return readMembers(value);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${source}: ${escapeText(error.message)}`);
  }
}

function readMembers(value: unknown): IdentityDefinition {
  const { identities, roles = {}, tokenLifetime, keys, trusted = [], ...given } = checkFields(definitionFields, value);
  const custom = readRoles(membersOf(roles));
  const tenant = readGuid(given.tenant ?? '') ?? madeId('tenant', 'default');
  if (!identities) {
    const example = '{"identities": {"app": {"roles": ["Storage Table Data Reader"]}}}';
    throw new ConfigError(`there are no identities. Write ${example}.`);
  }
  const principals = membersOf(identities).map(([name, one]) => readIdentity(name, one, tenant, custom));
  if (principals.length === 0) throw new ConfigError('identities: there is no identity.');
  checkIds(principals);
  return {
    tenant,
    tokenSeconds: tokenLifetime === undefined ? defaultSeconds : Math.floor((readDuration(tokenLifetime) ?? 0) / 1000),
    rejectsKeys: keys === 'rejected',
    principals,
    trusted: trusted.map((one, at) => {
      const { issuer, jwks } = checkFields(issuerFields, one, `trusted[${at}]`);
      return { issuer: foldIssuer(issuer), jwks };
    }),
  };
}

/** Checks an object. `place` is its name in messages; '' for the whole definition. Errors: ConfigError. */
function checkFields<Of extends Fields>(fields: Of, value: unknown, place = ''): ObjectOf<Of> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${place || 'the definition'} must be an object.`);
  }
  const fault = faultOfFields(fields, value, (field) => (place === '' ? field : `${place}.${field}`));
  if (fault !== undefined) throw new ConfigError(fault);
  return value as ObjectOf<Of>;
}

function membersOf(value: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function readRoles(members: ReturnType<typeof membersOf>): readonly RoleDefinition[] {
  const owners = new Map<string, string>();
  return members.map(([name, value]) => {
    const place = `roles.${shownValue(name)}`;
    checkRoleName(name, place);
    const other = owners.get(lowerAscii(name));
    if (other !== undefined)
      throw new ConfigError(
        `${place}: the role '${shownValue(other)}' has this name already, because letter case does not count.`,
      );
    owners.set(lowerAscii(name), name);
    const {
      actions = [],
      notActions = [],
      dataActions = [],
      notDataActions = [],
    } = checkFields(roleFields, value, place);
    return { name, actions, notActions, dataActions, notDataActions };
  });
}

/** Checks that `readRoleName` can find a role by its name, which no built-in role has. */
function checkRoleName(name: string, place: string): void {
  if (name === '' || name.includes('/'))
    throw new ConfigError(`${place}: the name of a role has at least one character, and no '/'.`);
  const wanted = lowerAscii(name);
  const builtIn = builtInRoles.find(({ name, id }) => lowerAscii(name) === wanted || id === wanted);
  if (builtIn) throw new ConfigError(`${place}: a built-in role has this ${builtIn.id === wanted ? 'ID' : 'name'}.`);
}

function readIdentity(
  name: string,
  value: unknown,
  tenant: string,
  custom: readonly RoleDefinition[],
): AssignedPrincipal {
  const place = `identities.${shownValue(name)}`;
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new ConfigError(
      `${place}: the name of an identity has up to 64 letters, digits, dots, dashes and underscores.`,
    );
  }
  const { clientId = '', objectId = '', roles = [] } = checkFields(identityFields, value, place);
  const ids = {
    name,
    tenant,
    clientId: readGuid(clientId) ?? madeId('client', name),
    objectId: readGuid(objectId) ?? madeId('object', name),
  };
  return new AssignedPrincipal(
    ids,
    roles.map((role, at) => readAssignment(role, `${place}.roles[${at}]`, custom)),
  );
}

/** Reads a role of an identity: its name or ID, or an object with its scope. */
function readAssignment(value: unknown, place: string, custom: readonly RoleDefinition[]): RoleAssignment {
  if (typeof value === 'string') return { role: readRoleName(value, place, custom) };
  const { account, table, scope, ...named } = checkFields(assignmentFields, value, place);
  const role = readRoleName(named.role, `${place}.role`, custom);
  if (scope !== undefined) {
    if (account === undefined && table === undefined) return { role, ...parseScope(scope) };
    throw new ConfigError(`${place}.scope: a scope names account and table itself. Leave out the others.`);
  }
  if (table !== undefined && account === undefined) {
    throw new ConfigError(`${place}.table: a table needs its account, as "account": "devstoreaccount1".`);
  }
  return { role, account: account && lowerAscii(account), table: table && lowerAscii(table) };
}

/** Finds a role by its name, in any letter case, or by its ID, alone or at the end of a path as in Bicep. Errors: ConfigError. */
function readRoleName(named: string, place: string, custom: readonly RoleDefinition[]): RoleDefinition {
  const wanted = lowerAscii(named.slice(named.lastIndexOf('/') + 1));
  const all = [...custom, ...builtInRoles];
  const role = all.find(({ name, id }) => lowerAscii(name) === wanted || id === wanted);
  if (role) return role;
  const names = all.map(({ name }) => name);
  throw new ConfigError(`${place}: there is no role '${shownValue(named)}'. ${didYouMean(named, names)}`);
}

/** Checks that no two identities have an ID in common. */
function checkIds(principals: readonly AssignedPrincipal[]): void {
  const owners = new Map<string, string>();
  for (const { name = '', clientId = '', objectId } of principals) {
    for (const id of [clientId, objectId]) {
      const other = owners.get(id);
      if (other !== undefined) throw new ConfigError(`identities: ${other} and ${name} have the same ID ${id}.`);
      owners.set(id, name);
    }
  }
}

/** Strings, marks and other values of JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Returns the first name that an object in well-formed JSON has twice, with the names of the objects around it; undefined if
 * there is none. `JSON.parse` would silently keep the last one.
 */
function findDuplicateName(json: string): string | undefined {
  const path: { readonly names: Set<string>; readonly isObject: boolean; last: string }[] = [];
  let previous = '';
  for (const [token] of json.matchAll(tokens)) {
    const inner = path.at(-1);
    if (token === '{' || token === '[') path.push({ names: new Set(), isObject: token === '{', last: '' });
    else if (token === '}' || token === ']') path.pop();
    else if (token === ':' && inner?.isObject) {
      inner.last = JSON.parse(previous) as string;
      if (inner.names.has(inner.last))
        return path
          .map(({ last }) => last)
          .filter(Boolean)
          .join('.');
      inner.names.add(inner.last);
    }
    previous = token;
  }
  return undefined;
}

/**
 * Derives a GUID from a name, so that an identity without IDs in its file has the same ones on every machine. It has the form of
 * version 8, whose bits are free. Source: RFC 9562, section 5.8.
 */
function madeId(kind: 'tenant' | 'client' | 'object', name: string): string {
  const hex = createHash('sha256').update(`tabularium ${kind} ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
