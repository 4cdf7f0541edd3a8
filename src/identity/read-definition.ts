import { createHash } from 'node:crypto';
import { ConfigError, shownValue } from '../config.js';
import { readDuration } from '../duration.js';
import { nearestName } from '../nearest-name.js';
import { builtInRoles, type RoleDefinition } from '../protocol/access/roles.js';
import { lowerAscii } from '../protocol/names.js';
import { readGuid } from '../protocol/values/guid.js';
import { AssignedPrincipal, parseScope, type RoleAssignment } from './principal.js';
import { foldIssuer } from './tokens/token-claims.js';

/** The content of a file of identities. */
export interface IdentityDefinition {
  readonly tenant: string;
  /** How long a token is valid. Unit: seconds. */
  readonly tokenSeconds: number;
  /** Whether requests that are signed with a key of the account are rejected. */
  readonly refusesKeys: boolean;
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

/** The lifetime of tokens, as that of managed identities in the cloud. (Our choice.) Unit: seconds. */
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

/** Checks a definition that is an object. `source` names it in messages. Errors: ConfigError with the place of the mistake. */
export function readDefinition(value: unknown, source: string): IdentityDefinition {
  const root = new CheckedValue(value, source);
  const members = new Map(root.members(['identities', 'roles', 'tenant', 'tokenLifetime', 'keys', 'trusted']));
  const custom = readRoles(members.get('roles')?.members() ?? []);
  const tenant = readOptional(members.get('tenant'), readId) ?? madeId('tenant', 'default');
  const identities = members.get('identities');
  if (!identities)
    throw root.fault(
      'there are no identities. Write {"identities": {"app": {"roles": ["Storage Table Data Reader"]}}}.',
    );
  const principals = identities.members().map(([name, identity]) => readIdentity(name, identity, tenant, custom));
  if (principals.length === 0) throw identities.fault('there is no identity.');
  checkIds(principals, identities);
  return {
    tenant,
    tokenSeconds: readOptional(members.get('tokenLifetime'), readLifetime) ?? defaultSeconds,
    refusesKeys: readOptional(members.get('keys'), readKeys) ?? false,
    principals,
    trusted: members.get('trusted')?.items().map(readTrusted) ?? [],
  };
}

function readOptional<Value>(value: CheckedValue | undefined, read: (value: CheckedValue) => Value): Value | undefined {
  return value && read(value);
}

function readId(value: CheckedValue): string {
  const id = readGuid(value.text());
  if (id === undefined) throw value.fault(`'${shownValue(value.text())}' is not a GUID.`);
  return id;
}

function readLifetime(value: CheckedValue): number {
  const ms = readDuration(value.text()) ?? 0;
  if (ms < 1000) throw value.fault("expected a length of time of at least a second, such as '24h'.");
  return Math.floor(ms / 1000);
}

function readKeys(value: CheckedValue): boolean {
  const text = value.text();
  if (text !== 'accepted' && text !== 'refused') throw value.fault("expected 'accepted' or 'refused'.");
  return text === 'refused';
}

function readTrusted(value: CheckedValue): TrustedIssuer {
  const members = new Map(value.members(['issuer', 'jwks']));
  const issuer = members.get('issuer')?.text();
  const jwks = members.get('jwks')?.text();
  if (issuer === undefined || jwks === undefined) throw value.fault('expected an issuer, and jwks with a path.');
  return { issuer: foldIssuer(issuer), jwks };
}

const actionLists = ['actions', 'notActions', 'dataActions', 'notDataActions'] as const;

function readRoles(members: ReturnType<CheckedValue['members']>): readonly RoleDefinition[] {
  const owners = new Map<string, string>();
  return members.map(([name, value]) => {
    checkRoleName(name, value);
    const other = owners.get(lowerAscii(name));
    if (other !== undefined)
      throw value.fault(`the role '${shownValue(other)}' has this name already, because letter case does not count.`);
    owners.set(lowerAscii(name), name);
    return readRole(name, value);
  });
}

/** Checks that `findRole` finds a role by its name, and not in place of a built-in one. */
function checkRoleName(name: string, value: CheckedValue): void {
  if (name === '' || name.includes('/'))
    throw value.fault("the name of a role has at least one character, and no '/'.");
  const wanted = lowerAscii(name);
  if (builtInRoles.some((one) => lowerAscii(one.name) === wanted)) throw value.fault('a built-in role has this name.');
  if (builtInRoles.some(({ id }) => id === wanted)) throw value.fault('a built-in role has this ID.');
}

function readRole(name: string, value: CheckedValue): RoleDefinition {
  const members = new Map(value.members(actionLists));
  const list = (which: (typeof actionLists)[number]) =>
    members
      .get(which)
      ?.items()
      .map((item) => item.text()) ?? [];
  const [actions, notActions, dataActions, notDataActions] = actionLists.map(list);
  return {
    name,
    actions: actions ?? [],
    notActions: notActions ?? [],
    dataActions: dataActions ?? [],
    notDataActions: notDataActions ?? [],
  };
}

function readIdentity(
  name: string,
  value: CheckedValue,
  tenant: string,
  custom: readonly RoleDefinition[],
): AssignedPrincipal {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw value.fault('the name of an identity has up to 64 letters, digits, dots, dashes and underscores.');
  }
  const members = new Map(value.members(['clientId', 'objectId', 'roles']));
  const ids = {
    name,
    tenant,
    clientId: readOptional(members.get('clientId'), readId) ?? madeId('client', name),
    objectId: readOptional(members.get('objectId'), readId) ?? madeId('object', name),
  };
  const roles = members.get('roles')?.items() ?? [];
  return new AssignedPrincipal(
    ids,
    roles.map((role) => readAssignment(role, custom)),
  );
}

/** Reads a role that an identity has: its name or ID, or an object with its scope. */
function readAssignment(value: CheckedValue, custom: readonly RoleDefinition[]): RoleAssignment {
  if (typeof value.value === 'string') return { role: readRoleName(value, custom) };
  const members = new Map(value.members(['role', 'account', 'table', 'scope']));
  const named = members.get('role');
  if (!named) throw value.fault('expected a role.');
  const role = readRoleName(named, custom);
  const [account, table, scope] = ['account', 'table', 'scope'].map((name) => members.get(name));
  if (scope) {
    if (account || table) throw scope.fault('a scope names account and table itself. Leave out the others.');
    const parsed = parseScope(scope.text());
    if (parsed) return { role, ...parsed };
    throw scope.fault(`'${scope.text()}' is not the scope of a storage account or a table, nor above one.`);
  }
  if (table && !account) throw table.fault('a table needs its account, as "account": "devstoreaccount1".');
  return { role, account: account && lowerAscii(account.text()), table: table && lowerAscii(table.text()) };
}

function readRoleName(value: CheckedValue, custom: readonly RoleDefinition[]): RoleDefinition {
  const role = findRole(value.text(), custom);
  if (!role) throw value.fault(unknownRole(shownValue(value.text()), custom));
  return role;
}

/** Checks that no two identities have an ID in common. */
function checkIds(principals: readonly AssignedPrincipal[], place: CheckedValue): void {
  const owners = new Map<string, string>();
  for (const { name = '', clientId = '', objectId } of principals) {
    for (const id of [clientId, objectId]) {
      const other = owners.get(id);
      if (other !== undefined) throw place.fault(`${other} and ${name} have the same ID ${id}.`);
      owners.set(id, name);
    }
  }
}

/** A value of a definition, with its place for messages, such as `identities.reader.roles[0]`. */
class CheckedValue {
  readonly value: unknown;
  readonly #source: string;
  readonly #place: string;

  /** `source` names the definition in messages: the path of its file, or the option. */
  constructor(value: unknown, source: string, place = '') {
    this.value = value;
    this.#source = source;
    this.#place = place;
  }

  /** Returns the error for this value. */
  fault(message: string): ConfigError {
    return new ConfigError(`${this.#source}: ${this.#place === '' ? '' : `${this.#place}: `}${message}`);
  }

  /** Returns the members of an object. Errors: ConfigError for another value, and for a name that is not known. */
  members(known?: readonly string[]): readonly (readonly [name: string, value: CheckedValue])[] {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.fault('expected an object.');
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const unknown = known && entries.find(([name]) => !known.includes(name))?.[0];
    if (known && unknown !== undefined) {
      const nearest = nearestName(unknown, known);
      const hint = nearest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean '${nearest}'?`;
      throw this.fault(`'${shownValue(unknown)}' is not known here. ${hint}`);
    }
    const at = (name: string) => (this.#place === '' ? name : `${this.#place}.${name}`);
    return entries.map(([name, member]) => [name, new CheckedValue(member, this.#source, at(name))] as const);
  }

  /** Returns the items of an array. Errors: ConfigError for another value. */
  items(): readonly CheckedValue[] {
    if (!Array.isArray(this.value)) throw this.fault('expected an array.');
    return this.value.map((item, at) => new CheckedValue(item, this.#source, `${this.#place}[${at}]`));
  }

  /** Returns a string. Errors: ConfigError for another value, and for an empty one. */
  text(): string {
    if (typeof this.value !== 'string' || this.value === '') throw this.fault('expected a string.');
    return this.value;
  }
}

/** Finds a role by its name, in any letter case, or by its ID, alone or at the end of a path as in Bicep. */
function findRole(named: string, custom: readonly RoleDefinition[]): RoleDefinition | undefined {
  const wanted = lowerAscii(named.slice(named.lastIndexOf('/') + 1));
  return [...custom, ...builtInRoles].find(({ name, id }) => lowerAscii(name) === wanted || id === wanted);
}

/** Returns the words for a role that does not exist, with the nearest name. */
function unknownRole(named: string, custom: readonly RoleDefinition[]): string {
  const names = [...custom, ...builtInRoles].map(({ name }) => name);
  const nearest = nearestName(named, names);
  const hint = nearest === undefined ? `The roles are: ${names.join(', ')}.` : `Did you mean '${nearest}'?`;
  return `there is no role '${named}'. ${hint}`;
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
 * Makes a GUID from a name, so that an identity whose IDs are not in its file has the same ones on every machine. It has the
 * form of version 8, whose bits are free. Source: RFC 9562, section 5.8.
 */
function madeId(kind: 'tenant' | 'client' | 'object', name: string): string {
  const hex = createHash('sha256').update(`tabularium ${kind} ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
