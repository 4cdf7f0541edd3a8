import type { Readable } from 'node:stream';
import type { TestClock } from '../clock/test-clock.js';
import type { FaultSummary } from '../faults/contract.js';
import type { Identities } from '../identity/identities.js';
import type { AssignedPrincipal } from '../identity/principal.js';
import type { Coach } from '../insight/coach/coach.js';
import type { Journal } from '../insight/journal/journal.js';
import type { ServerEvents } from '../insight/live/server-events.js';
import type { AccessWish } from '../protocol/access/access-wish.js';
import type { Fields, ObjectOf, Schema, Shape } from '../schema.js';
import type { Config } from '../settings/config.js';
import type { MadeBranch } from '../state/contract.js';
import type { DiffTurns } from '../state/diff-turns.js';
import type { State } from '../state/state.js';
import type { Transfer } from '../transfer/transfer.js';
import type { IdentityVariables } from './identities.js';
import type { AccountConnection, HealthStatus, Session } from './server.js';
import type { VerbRow } from './verb-row.js';

/** The parts of a server that verbs use. Verbs import only their types, so that a command loads none of them. */
export interface VerbServer {
  readonly state: State;
  /** Absent with `--journal 0`. */
  readonly journal?: Journal | undefined;
  /** What happened to tables and states. */
  readonly events: ServerEvents;
  /** Absent with `--journal 0`. */
  readonly coach?: Coach | undefined;
  readonly faults: FaultRules;
  readonly tables: TableLists;
  readonly info: {
    readonly version: string;
    readonly started: number;
    readonly accounts: () => readonly string[];
    /** The path of the folder that holds the data folder; undefined for data in memory or in a database. */
    readonly location?: string | undefined;
    /** Returns the memory usage; undefined if the data is not in memory. */
    readonly memory: () => { usedBytes: number; maxBytes: number; isFull: boolean } | undefined;
  };
  /** The clock, and the settings that allow changing it. */
  readonly clock: {
    readonly clock: TestClock;
    readonly config: Pick<Config, 'inMemory' | 'database' | 'allowTestClock'>;
  };
  /** Absent without identities. */
  readonly identity?: IdentityVerbs | undefined;
  readonly health: () => Promise<HealthStatus>;
  /** Creates the signatures for the page. Absent without a page. */
  readonly openSession?: ((caller: VerbCaller) => Promise<Session>) | undefined;
  /** Signs access to an account. Errors: RejectedCall. Absent without a page. */
  readonly signAccess?: ((account: string, wish: AccessWish) => string) | undefined;
  /** Signs requests for the stored access policies of a table. Errors: RejectedCall. Absent without a page. */
  readonly signPolicies?:
    | ((account: string, table: string) => { readonly date: string; readonly authorization: string })
    | undefined;
  /** Loads the module for imports and exports on demand. */
  readonly openTransfer: () => Promise<Transfer>;
  readonly diffs: DiffTurns;
  /** Returns the connection string of a branch for a caller; undefined for a call within the process. */
  readonly connectionStringOf: (branch: MadeBranch, caller: VerbCaller) => string | undefined;
  /** Returns the connection string of each account but branches, by the host that a caller used, or else by the server's own. */
  readonly connectionStrings: (caller: VerbCaller) => readonly AccountConnection[];
}

/** The tables of accounts, for suggestions. */
export interface TableLists {
  listTables(account: string): readonly { readonly name: string }[] | Promise<readonly { readonly name: string }[]>;
}

/** The fault rules of a server. Errors of `add` and `replace`: InvalidRule, without adding any rule. */
export interface FaultRules {
  add(values: readonly unknown[]): readonly FaultSummary[];
  replace(values: readonly unknown[]): readonly FaultSummary[];
  list(): readonly FaultSummary[];
  remove(id: string): boolean;
  clear(): void;
}

/** The identities of a server, as verbs use them. */
export interface IdentityVerbs {
  readonly identities: Identities;
  /** Returns the environment of a program that runs as an identity. `root` is the URL by which the caller reached the server. */
  environmentOf(principal: AssignedPrincipal, root: string | undefined): Shape<typeof IdentityVariables>;
}

/** The origin of a call; empty for a call within the process. */
export interface VerbCaller {
  /** The scheme and host by which the client reached the server. */
  readonly root?: string | undefined;
  /** The local port of the connection, which may differ from the one in `root`. */
  readonly port?: number | undefined;
  readonly right?: 'all' | 'read' | undefined;
  /** Aborts when the response has been sent or the client has disconnected. */
  readonly gone?: AbortSignal | undefined;
  /** The headers of the uploaded file, and those that tell the page for browsers. */
  readonly headers?:
    | {
        readonly 'content-type'?: string | undefined;
        readonly 'content-encoding'?: string | undefined;
        readonly 'x-tabularium-client'?: string | undefined;
      }
    | undefined;
  /** The uploaded file, as a stream. */
  readonly body?: unknown;
}

/** The readers of the lines of an answer: people at a terminal, or a coding agent. */
export interface Audience {
  /** The URL of the server. */
  readonly server: string;
  /** Returns how this audience makes a call. `words` are those of a command without the program name: `undo undo-1`. */
  call(words: string): string;
  /** Returns lines whose content clients of the tables wrote. */
  data(lines: readonly string[]): readonly string[];
}

/** The facts about a verb that a coding agent needs. */
export interface AgentNotes {
  /** When to call it, in one sentence. */
  readonly when: string;
  /** Whether it may remove data. */
  readonly destroys?: true;
  /** Whether a second call changes nothing more. */
  readonly repeats?: true;
  /** Fields of the answer that an agent does not get that may only read. */
  readonly withheld?: readonly string[];
}

/** A verb of a running server, the single source for HTTP, command line, library, page, tools and reference. */
export interface Verb<Takes extends Fields = Fields, Answers extends Schema = Schema> extends VerbRow {
  readonly sends?: never;
  /** One imperative sentence for help, reference and OpenAPI. */
  readonly does: string;
  /** More sentences, for the reference and the library. */
  readonly notes?: string;
  /** A read-only token may call only verbs that change nothing. */
  readonly changes: 'nothing' | 'data' | 'behavior';
  /** Makes it a tool of coding agents. */
  readonly agent?: AgentNotes;
  readonly takes: Takes;
  readonly answers: Answers;
  /** Whether the command works without a server. */
  readonly isLocal?: true;
  /** Whether it needs no token. Its row ignores a query, because monitors add one. */
  readonly isOpen?: true;
  /** Whether only programs such as the page use it, so that it has no command. */
  readonly isForPage?: true;
  /** A working command line, without the program name. */
  readonly example: string;
  run(
    server: VerbServer,
    input: ObjectOf<Takes>,
    caller: VerbCaller,
  ): Sent<Shape<Answers>> | Promise<Sent<Shape<Answers>>>;
  /** Formats the answer as lines of text. */
  lines(answer: Shape<Answers>, input: ObjectOf<Takes>, audience: Audience): readonly string[];
  /** The answer over HTTP to clients that accept only `text/plain`. */
  textOf?(answer: Shape<Answers>): string;
  /** The status over HTTP; 200 by default. */
  statusOf?(answer: Shape<Answers>): number;
  /** The exit code of the command: 0 (default) for yes, 1 for no. */
  exitCode?(answer: Shape<Answers>): 0 | 1;
}

/** An answer whose lists may be streamed. */
export type Sent<Answer> = Answer extends object
  ? {
      [Name in keyof Answer]: Answer[Name] extends readonly (infer Item)[]
        ? readonly Item[] | AsyncIterable<Item>
        : Answer[Name];
    }
  : Answer;

/** A verb that streams lines of JSON while its client reads. `answers` is the schema of one line. */
export interface LinesVerb<Takes extends Fields = Fields, Line extends Schema = Schema>
  extends Omit<Verb<Takes, Line>, 'run' | 'statusOf' | 'textOf' | 'sends'> {
  readonly sends: 'lines';
  /** Returns the lines as text. Checks the whole input first, because the status cannot change once lines are sent. */
  run(server: VerbServer, input: ObjectOf<Takes>, caller: VerbCaller): Readable | Promise<Readable>;
}

/** The answer of a file verb. */
export interface SentFile {
  readonly contentType: string;
  readonly body: Readable;
  /** The name under which browsers save it. Absent: they show it. */
  readonly name?: string;
}

/** A verb that sends a file. `answers` describes it. */
export interface FileVerb<Takes extends Fields = Fields>
  extends Omit<Verb<Takes>, 'run' | 'lines' | 'exitCode' | 'statusOf' | 'textOf' | 'sends'> {
  readonly sends: 'file';
  /** The possible media types. */
  readonly types: readonly string[];
  run(server: VerbServer, input: ObjectOf<Takes>, caller: VerbCaller): SentFile | Promise<SentFile>;
}

/** A verb with any kind of answer. */
export type AnyVerb = Verb | LinesVerb | FileVerb;

/** Declares a verb; a type helper without effects. */
export function verb<const Takes extends Fields, Answers extends Schema>(
  declared: Verb<Takes, Answers> & {
    readonly words?: readonly (keyof Takes & string)[];
    readonly lists?: keyof Shape<Answers> & string;
  },
): Verb<Takes, Answers> {
  return declared;
}

/** Declares a lines verb, as `verb` does. */
export function linesVerb<const Takes extends Fields, Line extends Schema>(
  declared: LinesVerb<Takes, Line> & { readonly words?: readonly (keyof Takes & string)[] },
): LinesVerb<Takes, Line> {
  return declared;
}

/** Declares a file verb, as `verb` does. */
export function fileVerb<const Takes extends Fields>(
  declared: FileVerb<Takes> & { readonly words?: readonly (keyof Takes & string)[] },
): FileVerb<Takes> {
  return declared;
}

/** A rejected call of a verb. The message explains the reason to the caller. */
export class RejectedCall extends Error {
  override readonly name = 'RejectedCall';
  /** The HTTP status of the response. */
  readonly status: number;
  /** Further fields of its body. */
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

/** Returns the rejection for a request missing from the journal. `missing` is such as `no request 1`. */
export function notInJournal(missing: string, { capacity }: Journal): RejectedCall {
  return new RejectedCall(404, `The journal has ${missing}. It keeps the last ${capacity} requests of this server.`);
}

/** Returns the coach of a server. Errors: RejectedCall with the status 404 if it has none. */
export function coachOf({ coach }: Pick<VerbServer, 'coach'>): Coach {
  if (!coach) throw new RejectedCall(404, 'The server has no coach. Start it without --journal 0.');
  return coach;
}
