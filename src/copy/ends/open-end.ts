import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AccountSource } from '../account/account-source.js';
import { AccountTarget } from '../account/account-target.js';
import { Connection, type ConnectionOptions } from '../account/connection.js';
import type { CopyWish } from '../contract.js';
import { dryTarget } from '../dry-target.js';
import { FileSource } from '../files/file-source.js';
import { FileTarget } from '../files/file-target.js';
import { CopyFault, type Source, type Target } from './end.js';
import { type AccountEnd, dataFolder, type End, type FilesEnd, nameOfEnd, type PlaceEnd, readEnd } from './read-end.js';

/** An account of data, and its service. */
export interface PlaceAccount {
  readonly name: string;
  readonly isCosmos: boolean;
}

/** How ends are opened. */
export interface EndOptions extends Omit<ConnectionOptions, 'transfers'> {
  /** Serves data that no server uses: all its accounts, and those that it may not have yet. Errors: StoreError if a server uses it. */
  readonly serve: (
    place: PlaceEnd,
    more: readonly PlaceAccount[],
  ) => Promise<{
    readonly accounts: readonly (PlaceAccount & { readonly connectionString: string })[];
    close(): Promise<void>;
  }>;
  /** The name of the source in messages and in the state, if another account stands for it. */
  readonly nameOfSource?: string | undefined;
}

/** A source, and the target that gets its tables. */
export interface Pair {
  /** The account, if there are several. */
  readonly account: string | undefined;
  readonly source: Source;
  readonly target: Target;
  /** The end to compare with, if nothing is copied. */
  readonly other: Source | undefined;
  /** Whether all of both ends is served in this process: service properties and the order of insertion go along. */
  readonly isWhole: boolean;
  /** Whether one of them is Cosmos DB. */
  readonly isCosmos: boolean;
  /** Whether the address of the source names one table. */
  readonly isOneTable: boolean;
  /** The only table of the target, if its address names one. */
  readonly targetTable: string | undefined;
}

/** An end without a place, with the account of a place that it is. */
type OwnedEnd = (AccountEnd | FilesEnd) & { readonly account?: string };

/** The account of new data. */
const defaultAccount = 'devstoreaccount1';

/** Opens both ends of a copy. Returns their names, and the pairs to copy. Errors: CopyFault; StateFault and StoreError for files and data that cannot be opened. */
export async function openEnds(wish: CopyWish, options: EndOptions) {
  const { environment, serve } = options;
  const [from, to] = [readEnd(wish.from, environment), readEnd(wish.to, environment)];
  const names = { from: options.nameOfSource ?? nameOfEnd(from), to: nameOfEnd(to) };
  if (names.from === names.to && wish.rename.size === 0)
    throw new CopyFault('Both ends are the same. Name another target, or rename the tables with --rename.');
  const closers: (() => Promise<unknown> | undefined)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  const ownedEnds = async (end: End, more?: readonly PlaceAccount[]): Promise<readonly OwnedEnd[]> => {
    if (end.kind !== 'place') return [end];
    // To serve a place creates it.
    if (!more && !end.isDatabase && !existsSync(join(end.location, dataFolder)))
      throw new CopyFault(`There is no data in ${end.location}.`);
    const place = await serve(end, more ?? []);
    closers.push(() => place.close());
    return place.accounts.map(({ name, isCosmos, connectionString }) => {
      const { endpoint, credential } = readEnd(connectionString, environment) as AccountEnd;
      return { kind: 'account', endpoint, credential, isCosmos, account: name };
    });
  };
  try {
    const isWhole = from.kind === 'place' && to.kind === 'place';
    const all = await ownedEnds(from);
    const sources = all.filter(({ account }) => account === undefined || [undefined, account].includes(wish.account));
    const inAccount = wish.account === undefined ? '' : ` in the account ${wish.account}`;
    if (sources.length === 0) throw new CopyFault(`${names.from} has no tables${inAccount}.`);
    // New data that gets an end outside has a storage account.
    const wanted = sources.map((end) => ({
      name: end.account ?? wish.account ?? defaultAccount,
      isCosmos: isWhole && isCosmosEnd(end),
    }));
    const isPlaceToBe = wish.dryRun && to.kind === 'place';
    const targets = isPlaceToBe ? [] : await ownedEnds(to, wish.compare ? undefined : wanted);
    if (to.kind !== 'place' && sources.length > 1) {
      const accounts = sources.map(({ account }) => account).join(', ');
      throw new CopyFault(`${names.from} has the accounts ${accounts}. Choose one with --account.`);
    }
    const extra = targets.find(({ account }) => !wanted.some(({ name }) => name === account));
    if (isWhole && wish.compare && wish.account === undefined && extra)
      throw new CopyFault(`${names.from} has no account ${extra.account}.`);
    const pairs: Pair[] = [];
    for (const [at, end] of sources.entries()) {
      const target = targets.find(({ account }) => account === undefined || account === wanted[at]?.name);
      if (!target && !isPlaceToBe) throw new CopyFault(`${names.to} has no account ${wanted[at]?.name}.`);
      const pair = await openPair(end, target, isWhole, wish, options);
      closers.push(
        () => pair.source.close?.(),
        () => pair.target.close?.(),
        () => pair.other?.close?.(),
      );
      pairs.push({ ...pair, account: sources.length > 1 ? end.account : undefined });
    }
    return { ...names, pairs, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPair(
  from: OwnedEnd,
  to: OwnedEnd | undefined,
  isWhole: boolean,
  { mode, transfers, compare, dryRun }: CopyWish,
  { signal, environment, tries }: EndOptions,
): Promise<Omit<Pair, 'account'>> {
  const connect = ({ endpoint, credential }: AccountEnd) =>
    new Connection(endpoint, credential, { transfers, tries, signal, environment });
  const sourceAt = (end: OwnedEnd) =>
    end.kind === 'files' ? FileSource.open(end.path) : new AccountSource(connect(end), end);
  const source = await sourceAt(from);
  // Cosmos DB keeps the order of insertion.
  const keepsOrder = isWhole && isCosmosEnd(from) && isCosmosEnd(to);
  const isCosmos = isCosmosEnd(from) || isCosmosEnd(to);
  const targetTable = to?.kind === 'account' ? to.table : undefined;
  const isOneTable = from.kind === 'account' && from.table !== undefined;
  const known = { source, isWhole, isCosmos, isOneTable, targetTable };
  if (compare && to) return { ...known, target: dryTarget, other: await sourceAt(to) };
  const targetAt = (end: OwnedEnd) =>
    end.kind === 'files'
      ? new FileTarget(end.path, mode)
      : new AccountTarget(connect(end), { isCosmos: end.isCosmos, keepsOrder });
  // A dry run checks the name of a file, too.
  const target = to && targetAt(to);
  return { ...known, target: dryRun || !target ? dryTarget : target, other: undefined };
}

function isCosmosEnd(end: OwnedEnd | undefined): boolean {
  return end?.kind === 'account' && end.isCosmos;
}
