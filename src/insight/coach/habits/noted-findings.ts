import { BoundedMap } from '../../../remembered.js';
import type { Severity } from '../../rules/rule.js';
import type { CauseName } from '../../rules/rules.js';
import { type Finding, findingOf, shownText } from '../finding.js';
import type { ObservedRequest } from '../observation.js';

/** Maximum number of findings, and of marks per finding. (Our choice.) */
const findingsMax = 256;
const marksMax = 8;

/** Longest filter in a finding. Unit: UTF-16 code units. */
const exampleUnitsMax = 300;

/** A finding in a request. */
export interface Note {
  readonly name: CauseName;
  readonly severity: Severity;
  /** The operation, or the common part of its address. */
  readonly shape: string;
  /** How many requests have shown it since the last note. */
  readonly calls: number;
  readonly example?: string;
  /** A detail of it, in a sentence. */
  readonly note?: string;
}

interface Noted {
  readonly finding: Finding;
  severity: Severity;
  calls: number;
  worstRequest: string;
  readonly marks: Set<string>;
}

/** The number of events within a time window that begins with the first. */
export interface EventWindow {
  since: number;
  count: number;
}

/** Returns a window without events. */
export function newWindow(): EventWindow {
  return { since: Number.NEGATIVE_INFINITY, count: 0 };
}

/** Counts an event, in a new window if the last one is over. Returns the events of the window. Unit: milliseconds. */
export function countIn(window: EventWindow, at: number, lengthMs: number): number {
  if (at - window.since >= lengthMs) {
    window.since = at;
    window.count = 0;
  }
  window.count++;
  return window.count;
}

/** Findings that are noted as soon as a request shows them. */
export class NotedFindings {
  readonly #noted = new BoundedMap<Noted>(findingsMax);

  /** Notes a finding. A cause has one finding per table and shape, with the latest severity. */
  note({ name, severity, shape, calls, example, note }: Note, request: ObservedRequest): void {
    const { account, table, requestId, mark } = request;
    const noted = this.#noted.use(`${name}\n${account}\n${table}\n${shape}`, () => ({
      ...{ severity, calls: 0, worstRequest: requestId, marks: new Set<string>() },
      finding: findingOf(name, severity, {
        ...{ account, table: shownText(table), shape: shownText(shape), calls, read: 0, returned: 0, marks: [] },
        ...{ firstRequest: requestId, worstRequest: requestId },
        ...(example !== undefined && { example: shownText(example.slice(0, exampleUnitsMax)) }),
        ...(note !== undefined && { note: shownText(note) }),
      }),
    }));
    noted.severity = severity;
    noted.calls += calls;
    noted.worstRequest = requestId;
    if (mark !== undefined && noted.marks.size < marksMax) noted.marks.add(mark);
  }

  findings(): readonly Finding[] {
    return this.#noted.values().map(({ finding, severity, calls, worstRequest, marks }) => ({
      ...finding,
      ...{ severity, calls, worstRequest, marks: [...marks] },
    }));
  }

  clear(): void {
    this.#noted.clear();
  }
}
