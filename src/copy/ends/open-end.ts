import { AccountSource } from '../account/account-source.js';
import { AccountTarget } from '../account/account-target.js';
import { Connection, type ConnectionOptions } from '../account/connection.js';
import type { CopyWish } from '../contract.js';
import { FileSource } from '../files/file-source.js';
import { FileTarget } from '../files/file-target.js';
import { CopyFault, type Source, type Target } from './end.js';
import { type AccountEnd, type End, nameOfEnd, type PlaceEnd, readEnd } from './read-end.js';

/** An account of data that is served in this process. */
export interface ServedAccount {
  readonly name: string;
  readonly isCosmos: boolean;
  readonly connectionString: string;
}

/** Data that is served in this process. */
export interface ServedPlace {
  readonly accounts: readonly ServedAccount[];
  close(): Promise<void>;
}

/** Serves data that no server uses: all its accounts, and those that it may not have yet. Errors: StoreError if a server uses it. */
export type ServePlace = (
  place: PlaceEnd,
  more: readonly Omit<ServedAccount, 'connectionString'>[],
) => Promise<ServedPlace>;

/** How ends are opened. */
export interface EndOptions extends ConnectionOptions {
  readonly serve: ServePlace;
  /** The name of the source in messages and in the state, if another account stands for it. */
  readonly nameOfSource?: string | undefined;
}

/** A source, and the target that gets its tables. */
export interface Pair {
  /** The account, if there are several. */
  readonly account: string | undefined;
  readonly source: Source;
  readonly target: Target;
  /** Whether all of both ends is served in this process: service properties and the order of insertion go along. */
  readonly isWhole: boolean;
  /** Whether one of them is Cosmos DB. */
  readonly isCosmos: boolean;
  /** The only table of the target, if its address names one. */
  readonly targetTable: string | undefined;
}

/** The open ends of a copy. */
export interface OpenEnds {
  readonly from: string;
  readonly to: string;
  readonly pairs: readonly Pair[];
  close(): Promise<void>;
}

type OwnedEnd = Exclude<End, PlaceEnd> & { readonly account?: string | undefined };

/** The account of new data. */
const defaultAccount = 'devstoreaccount1';

/** Opens both ends of a copy. Errors: CopyFault; StateFault and StoreError for files and data that cannot be opened. */
export async function openEnds(wish: CopyWish, options: EndOptions): Promise<OpenEnds> {
  const [from, to] = [readEnd(wish.from, options.environment), readEnd(wish.to, options.environment)];
  const names = { from: options.nameOfSource ?? nameOfEnd(from), to: nameOfEnd(to) };
  if (names.from === names.to && wish.rename.size === 0)
    throw new CopyFault('Both ends are the same. Name another target, or rename the tables with --rename.');
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  const serve = async (end: PlaceEnd, more: readonly Omit<ServedAccount, 'connectionString'>[]) => {
    const place = await options.serve(end, more);
    closers.push(() => place.close());
    return place.accounts.map((account) => ownedEnd(account, options));
  };
  try {
    const all: readonly OwnedEnd[] = isPlace(from) ? await serve(from, []) : [from];
    const sources = all.filter(({ account }) => account === undefined || [undefined, account].includes(wish.account));
    if (isPlace(from) && sources.length === 0) throw new CopyFault(`${names.from} has no tables${wordsOf(wish)}.`);
    const wanted = sources.map((end) => ({
      name: end.account ?? wish.account ?? defaultAccount,
      isCosmos: isCosmos(end),
    }));
    const targets: readonly OwnedEnd[] = isPlace(to) ? await serve(to, isPlace(from) ? wanted : onlyNew(wanted)) : [to];
    if (!isPlace(to) && sources.length > 1)
      throw new CopyFault(
        `${names.from} has the accounts ${sources.map((one) => one.account).join(', ')}. Choose one with --account.`,
      );
    const pairs: Pair[] = [];
    for (const [at, end] of sources.entries()) {
      const target = targets.find(({ account }) => account === undefined || account === wanted[at]?.name);
      if (!target) throw new CopyFault(`${names.to} has no account ${wanted[at]?.name}.`);
      const isWhole = isPlace(from) && isPlace(to);
      const pair = await openPair(end, target, isWhole, wish, options);
      closers.push(
        () => pair.source.close(),
        () => pair.target.close(),
      );
      pairs.push({
        ...pair,
        account: sources.length > 1 ? end.account : undefined,
        isWhole,
        isCosmos: isCosmos(end) || isCosmos(target),
        targetTable: target.kind === 'account' ? target.table : undefined,
      });
    }
    return { ...names, pairs, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The accounts that new data gets from an end outside: a storage account. */
function onlyNew(wanted: readonly Omit<ServedAccount, 'connectionString'>[]): typeof wanted {
  return wanted.map(({ name }) => ({ name, isCosmos: false }));
}

async function openPair(
  from: OwnedEnd,
  to: OwnedEnd,
  isWhole: boolean,
  { mode, tries }: CopyWish,
  options: EndOptions,
): Promise<Pick<Pair, 'source' | 'target'>> {
  const source =
    from.kind === 'files' ? await FileSource.open(from.path) : new AccountSource(connect(from, options), from);
  // Cosmos DB keeps the order of insertion.
  const keepsOrder = isWhole && isCosmos(from) && isCosmos(to);
  const target =
    to.kind === 'files'
      ? new FileTarget(to.path, mode)
      : new AccountTarget(connect(to, options), { isCosmos: to.isCosmos, tries, keepsOrder });
  return { source, target };
}

function connect({ endpoint, credential }: AccountEnd, options: ConnectionOptions): Connection {
  return new Connection(endpoint, credential, options);
}

function ownedEnd({ name, isCosmos, connectionString }: ServedAccount, { environment }: EndOptions): OwnedEnd {
  const end = readEnd(connectionString, environment) as AccountEnd;
  return { ...end, isCosmos, account: name };
}

function isPlace(end: End): end is PlaceEnd {
  return end.kind === 'folder' || end.kind === 'database';
}

function isCosmos(end: OwnedEnd): boolean {
  return end.kind === 'account' && end.isCosmos;
}

function wordsOf({ account }: CopyWish): string {
  return account === undefined ? '' : ` in the account ${account}`;
}
