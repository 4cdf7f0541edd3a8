import { AccountSource } from '../account/account-source.js';
import { AccountTarget } from '../account/account-target.js';
import { Connection, type ConnectionOptions } from '../account/connection.js';
import type { CopyWish } from '../contract.js';
import { FileSource } from '../files/file-source.js';
import { FileTarget } from '../files/file-target.js';
import { CopyFault, type Source, type Target } from './end.js';
import { type AccountEnd, type End, type FilesEnd, nameOfEnd, type PlaceEnd, readEnd } from './read-end.js';

/** An account of data, and its service. */
export interface PlaceAccount {
  readonly name: string;
  readonly isCosmos: boolean;
}

/** How ends are opened. */
export interface EndOptions extends Pick<ConnectionOptions, 'signal' | 'environment'> {
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
  /** Whether all of both ends is served in this process: service properties and the order of insertion go along. */
  readonly isWhole: boolean;
  /** Whether one of them is Cosmos DB. */
  readonly isCosmos: boolean;
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
  const ownedEnds = async (end: End, more: readonly PlaceAccount[]): Promise<readonly OwnedEnd[]> => {
    if (end.kind !== 'place') return [end];
    const place = await serve(end, more);
    closers.push(() => place.close());
    return place.accounts.map(({ name, isCosmos, connectionString }) => {
      const { endpoint, credential } = readEnd(connectionString, environment) as AccountEnd;
      return { kind: 'account', endpoint, credential, isCosmos, account: name };
    });
  };
  try {
    const isWhole = from.kind === 'place' && to.kind === 'place';
    const all = await ownedEnds(from, []);
    const sources = all.filter(({ account }) => account === undefined || [undefined, account].includes(wish.account));
    const inAccount = wish.account === undefined ? '' : ` in the account ${wish.account}`;
    if (sources.length === 0) throw new CopyFault(`${names.from} has no tables${inAccount}.`);
    // New data that gets an end outside has a storage account.
    const wanted = sources.map((end) => ({
      name: end.account ?? wish.account ?? defaultAccount,
      isCosmos: isWhole && isCosmosEnd(end),
    }));
    const targets = await ownedEnds(to, wanted);
    if (to.kind !== 'place' && sources.length > 1) {
      const accounts = sources.map(({ account }) => account).join(', ');
      throw new CopyFault(`${names.from} has the accounts ${accounts}. Choose one with --account.`);
    }
    const pairs: Pair[] = [];
    for (const [at, end] of sources.entries()) {
      const target = targets.find(({ account }) => account === undefined || account === wanted[at]?.name);
      if (!target) throw new CopyFault(`${names.to} has no account ${wanted[at]?.name}.`);
      const pair = await openPair(end, target, isWhole, wish, options);
      closers.push(
        () => pair.source.close?.(),
        () => pair.target.close?.(),
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
  to: OwnedEnd,
  isWhole: boolean,
  { mode, transfers, tries }: CopyWish,
  { signal, environment }: EndOptions,
): Promise<Omit<Pair, 'account'>> {
  const connect = ({ endpoint, credential }: AccountEnd) =>
    new Connection(endpoint, credential, { transfers, tries, signal, environment });
  const source = from.kind === 'files' ? await FileSource.open(from.path) : new AccountSource(connect(from), from);
  // Cosmos DB keeps the order of insertion.
  const keepsOrder = isWhole && isCosmosEnd(from) && isCosmosEnd(to);
  const isCosmos = isCosmosEnd(from) || isCosmosEnd(to);
  if (to.kind === 'files')
    return { source, target: new FileTarget(to.path, mode), isWhole, isCosmos, targetTable: undefined };
  const target = new AccountTarget(connect(to), { isCosmos: to.isCosmos, tries, keepsOrder });
  return { source, target, isWhole, isCosmos, targetTable: to.table };
}

function isCosmosEnd(end: OwnedEnd): boolean {
  return end.kind === 'account' && end.isCosmos;
}
