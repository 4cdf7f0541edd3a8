import type { Readable } from 'node:stream';
import type { TestClock } from '../clock/test-clock.js';
import type { FaultSummary } from '../faults/contract.js';
import type { Identities } from '../identity/identities.js';
import type { AssignedPrincipal } from '../identity/principal.js';
import type { Coach } from '../insight/coach/coach.js';
import type { Journal } from '../insight/journal/journal.js';
import type { Fields, ObjectOf, Schema, Shape } from '../schema.js';
import type { Config } from '../settings/config.js';
import type { MadeBranch } from '../state/contract.js';
import type { DiffTurns } from '../state/diff-turns.js';
import type { State } from '../state/state.js';
import type { Transfer } from '../transfer/transfer.js';
import type { HealthStatus, IdentityVariables, Session } from './contract.js';
import type { VerbRow } from './verb-row.js';

/** What the verbs of a server work on. Verbs import its parts as types only, so that a command loads none of them. */
export interface VerbServer {
  readonly state: State;
  /** Absent: the server keeps no journal. */
  readonly journal?: Journal | undefined;
  /** Absent: no requests are judged. */
  readonly coach?: Coach | undefined;
  readonly faults: FaultRules;
  readonly tables: TableLists;
  readonly info: {
    readonly version: string;
    readonly started: number;
    readonly accounts: () => readonly string[];
    /** Returns how full the memory is; undefined if it does not have the data. */
    readonly memory: () => { usedBytes: number; maxBytes: number; isFull: boolean } | undefined;
  };
  /** The clock, and the settings that decide whether it may be changed. */
  readonly clock: {
    readonly clock: TestClock;
    readonly config: Pick<Config, 'inMemory' | 'database' | 'allowTestClock'>;
  };
  /** Absent: the server has no identities. */
  readonly identity?: IdentityVerbs | undefined;
  /** Returns `ready`, or why no requests are served. */
  readonly health: () => Promise<HealthStatus>;
  /** Makes the signatures for a page. Absent: there is no page. */
  readonly openSession?: ((caller: VerbCaller) => Promise<Session>) | undefined;
  /** Loads what imports and exports. */
  readonly openTransfer: () => Promise<Transfer>;
  /** Makes one diff at a time. */
  readonly diffs: DiffTurns;
  /** Returns the connection string of a branch for a caller; undefined for one within the process. */
  readonly connectionStringOf: (branch: MadeBranch, caller: VerbCaller) => string | undefined;
}

/** The tables of accounts, for suggestions. */
export interface TableLists {
  /** Returns the tables of an account. */
  listTables(account: string): readonly { readonly name: string }[] | Promise<readonly { readonly name: string }[]>;
}

/** The fault rules of a server. Errors of `add` and `replace`: InvalidRule; no rule is added then. */
export interface FaultRules {
  add(values: readonly unknown[]): readonly FaultSummary[];
  replace(values: readonly unknown[]): readonly FaultSummary[];
  list(): readonly FaultSummary[];
  remove(id: string): boolean;
  clear(): void;
}

/** What verbs ask of the identities of a server. */
export interface IdentityVerbs {
  readonly identities: Identities;
  /** Returns the environment of a program that runs as an identity. `root` is how the caller reached the server. */
  environmentOf(principal: AssignedPrincipal, root: string | undefined): Shape<typeof IdentityVariables>;
}

/** Who asks, and how. A call within the process has none of it. */
export interface VerbCaller {
  /** The scheme and the host by which the client reached the server. */
  readonly root?: string | undefined;
  /** The port of this machine at which the request arrived, which the host need not name. */
  readonly port?: number | undefined;
  /** What the caller may do. */
  readonly right?: 'all' | 'read' | undefined;
  /** Is aborted when the answer is sent, or when the client has left before. */
  readonly gone?: AbortSignal | undefined;
  /** What the headers say of the file that is uploaded. */
  readonly headers?:
    | { readonly 'content-type'?: string | undefined; readonly 'content-encoding'?: string | undefined }
    | undefined;
  /** The file that is uploaded, as a stream. */
  readonly body?: unknown;
}

/** What a verb of a running server is: the one place that HTTP, command line, library, page and reference take it from. */
export interface Verb<Takes extends Fields = Fields, Answers extends Schema = Schema> extends VerbRow {
  readonly sends?: never;
  /** One sentence, an imperative: help, reference and OpenAPI show it. */
  readonly does: string;
  /** More sentences, for the reference and the library. */
  readonly notes?: string;
  /** What it changes. A token that may only read calls verbs that change nothing. */
  readonly changes: 'nothing' | 'data' | 'behavior';
  readonly takes: Takes;
  readonly answers: Answers;
  /** Whether the command needs no server: `run` uses nothing of it. */
  readonly isLocal?: true;
  /** Whether every caller may ask, without a token. Its row ignores a query, which monitors add. */
  readonly isOpen?: true;
  /** Whether only the page for browsers calls it: it has no command. */
  readonly isForPage?: true;
  /** A command line that works, without the name of the program. */
  readonly example: string;
  run(
    server: VerbServer,
    asked: ObjectOf<Takes>,
    caller: VerbCaller,
  ): Sent<Shape<Answers>> | Promise<Sent<Shape<Answers>>>;
  /** Returns the answer as lines for people. `server` is the root of the server that was asked. */
  lines(answer: Shape<Answers>, asked: ObjectOf<Takes>, server: string): readonly string[];
  /** The status over HTTP; 200 by default. */
  statusOf?(answer: Shape<Answers>): number;
  /** The exit code of the command: 0 is yes, and also the default; 1 is no. */
  exitCode?(answer: Shape<Answers>): 0 | 1;
}

/** An answer, of which a list may come bit by bit. */
export type Sent<Answer> = Answer extends object
  ? {
      [Name in keyof Answer]: Answer[Name] extends readonly (infer Item)[]
        ? readonly Item[] | AsyncIterable<Item>
        : Answer[Name];
    }
  : Answer;

/** A verb that answers with lines of JSON for as long as its client reads. `answers` is the schema of one line. */
export interface LinesVerb<Takes extends Fields = Fields, Line extends Schema = Schema>
  extends Omit<Verb<Takes, Line>, 'run' | 'statusOf' | 'sends'> {
  readonly sends: 'lines';
  /** Returns the lines as text. It checks everything before, so that what is wrong is still rejected with a status. */
  run(server: VerbServer, asked: ObjectOf<Takes>, caller: VerbCaller): Readable | Promise<Readable>;
}

/** A file that a verb sends. */
export interface SentFile {
  readonly contentType: string;
  readonly body: Readable;
  /** The name by which browsers save it; absent for a file that they show. */
  readonly name?: string;
}

/** A verb that answers with a file. `answers` describes it. */
export interface FileVerb<Takes extends Fields = Fields>
  extends Omit<Verb<Takes>, 'run' | 'lines' | 'exitCode' | 'statusOf' | 'sends'> {
  readonly sends: 'file';
  /** The media types that it may have. */
  readonly types: readonly string[];
  run(server: VerbServer, asked: ObjectOf<Takes>, caller: VerbCaller): SentFile | Promise<SentFile>;
}

/** Any verb. */
export type AnyVerb = Verb | LinesVerb | FileVerb;

/** Declares a verb. It only ties the types of its parts together. */
export function verb<const Takes extends Fields, Answers extends Schema>(
  declared: Verb<Takes, Answers> & {
    readonly words?: readonly (keyof Takes & string)[];
    readonly lists?: keyof Shape<Answers> & string;
  },
): Verb<Takes, Answers> {
  return declared;
}

/** Declares a verb that answers with lines, as `verb` does. */
export function linesVerb<const Takes extends Fields, Line extends Schema>(
  declared: LinesVerb<Takes, Line> & { readonly words?: readonly (keyof Takes & string)[] },
): LinesVerb<Takes, Line> {
  return declared;
}

/** Declares a verb that answers with a file, as `verb` does. */
export function fileVerb<const Takes extends Fields>(
  declared: FileVerb<Takes> & { readonly words?: readonly (keyof Takes & string)[] },
): FileVerb<Takes> {
  return declared;
}

/** A verb cannot do what it was asked. The message says why, in words for its caller. */
export class RejectedCall extends Error {
  override readonly name = 'RejectedCall';
  /** The status of its answer over HTTP. */
  readonly status: number;
  /** Further fields of that answer. */
  readonly details: object;

  constructor(status: number, message: string, details: object = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Returns the journal of a server. Errors: RejectedCall with the status 404 if it keeps none. */
export function journalOf({ journal }: Pick<VerbServer, 'journal'>): Journal {
  if (!journal) throw new RejectedCall(404, 'The server keeps no journal. Start it without --journal 0.');
  return journal;
}

/** Returns the rejection about a request that the journal does not have: `no request 1`. */
export function notInJournal(missing: string, { capacity }: Journal): RejectedCall {
  return new RejectedCall(404, `The journal has ${missing}. It keeps the last ${capacity} requests of this server.`);
}

/** Returns the coach of a server. Errors: RejectedCall with the status 404 if it has none. */
export function coachOf({ coach }: Pick<VerbServer, 'coach'>): Coach {
  if (!coach) throw new RejectedCall(404, 'The server has no coach. Start it without --journal 0.');
  return coach;
}
