import { isUtf8 } from 'node:buffer';
import { type BodyOpener, emptyBody, loadAtomOpener } from '../formats/open-body.js';
import type { WrittenEntities } from '../operations/answer.js';
import { commitWrite } from '../operations/commit-writes.js';
import { runOperation } from '../operations/run-operation.js';
import { TableError } from '../protocol/errors.js';
import { turnForLongWork } from '../store/event-loop-turn.js';
import type { Eventual } from '../store/store.js';
import type { ServiceAnswer } from './answers.js';
import { longText, runBatch } from './batch/run-batch.js';
import type { FaultMarks } from './gate.js';
import { readContentType } from './negotiate.js';
import { writerOf } from './route.js';
import type { Service } from './service.js';
import type { Loaded, Routed } from './stages.js';

/** The result of an operation: its answer and its writes. */
export interface Done {
  readonly answer: ServiceAnswer;
  /** Undefined: nothing was written. */
  readonly written: WrittenEntities | undefined;
  /** The table of a batch as its first operation spells it. Absent if the address names it, or no operation can be read. */
  readonly table?: string | undefined;
}

const openNothing = () => emptyBody;

/** Longer bodies are parsed one per turn of the event loop, since they add up. Unit: bytes. (Our choice: a few milliseconds each.) */
const longBodyBytes = 256 * 1024;

/**
 * Finds the reader for the body of a request. `bytes` is undefined for an operation without a body.
 *
 * Errors: InvalidInput or InvalidXmlDocument for a body that is not UTF-8; those of `readContentType`.
 */
export function load(service: Service, routed: Routed, bytes: Buffer | undefined): Loaded | Promise<Loaded> {
  const { takes } = routed.row;
  if (bytes === undefined || takes === undefined) return { routed, text: '', open: openNothing };
  if (!isUtf8(bytes)) throw new TableError(takes === 'xml' ? 'InvalidXmlDocument' : 'InvalidInput');
  const text = bytes.toString('utf8');
  const { received, addressed } = routed.authenticated;
  const { openJson, speaksAtom } = service.dialect.requests;
  const format = readContentType(received.headers['content-type'], takes, addressed.version, speaksAtom);
  const opener = format === 'atom' ? loadAtomOpener() : openJson;
  if (!(opener instanceof Promise) && bytes.length <= longBodyBytes) return { routed, text, open: opener };
  return loadLater(routed, text, opener, bytes.length > longBodyBytes);
}

async function loadLater(
  routed: Routed,
  text: string,
  opener: BodyOpener | Promise<BodyOpener>,
  isLong: boolean,
): Promise<Loaded> {
  const open = await opener;
  if (isLong) await turnForLongWork();
  return { routed, text, open };
}

/** Carries out the operation of a request. Errors: those of the operation. */
export function run(service: Service, loaded: Loaded): Eventual<Done> {
  const { routed, text, open } = loaded;
  const { row, request } = routed;
  const { operation } = row;
  switch (operation.kind) {
    case 'write':
      return commitWrite({ operation, request, body: open(text, service.bodies) }, writerOf(routed));
    case 'batch':
      return runBatch(service, loaded);
    default: {
      const body = row.takes === undefined ? emptyBody : open(text);
      const answer = runOperation(service.store, operation, request, body);
      if (answer instanceof Promise) return answer.then((read) => ({ answer: read, written: undefined }));
      return { answer, written: undefined };
    }
  }
}

/** Carries out the operation of a request within the gate of injected faults, which record their effects in `marks`. */
export async function runInGate(service: Service, loaded: Loaded, marks: FaultMarks): Promise<Done> {
  if (!service.gate) return run(service, loaded);
  // The gate may read all of the body, and the operation reads it again.
  const isLong = loaded.text.length > longText;
  if (isLong) await turnForLongWork();
  return service.gate.pass({ service, loaded, marks }, async (wrap) => {
    if (wrap) loaded.routed.authenticated.tables.wrapWith(wrap);
    if (isLong) await turnForLongWork();
    const done = await run(service, loaded);
    marks.done = done;
    return done;
  });
}
