import type { FaultSummary } from '../faults/contract.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';
import { checkVerb, faultVerbs } from './verb-words.js';

/** What a call of the command asks for. */
export interface FaultQuestion {
  readonly verb: keyof typeof faultVerbs;
  /** The words of a rule, or the id of the rule to delete. */
  readonly words: readonly string[];
  readonly json?: true;
}

/** Adds, lists, deletes or clears fault rules of a running server. `print` gets one line. */
export async function useFaults(
  config: CommandConfig,
  { verb, words, json }: FaultQuestion,
  print: (line: string) => void,
): Promise<void> {
  checkVerb('fault', faultVerbs[verb], { verb, words, options: {} });
  const said = words.join(' ');
  const question = {
    add: { method: 'POST', path: '/faults', body: { text: said } },
    list: { path: '/faults' },
    delete: { method: 'DELETE', path: `/faults/${encodeURIComponent(said)}`, body: {} },
    clear: { method: 'POST', path: '/faults/clear', body: {} },
  } as const;
  const text = await textOf(await askControl(config, question[verb]));
  if (json) return print(text.trimEnd());
  if (verb === 'clear') return print('cleared');
  if (verb === 'delete') return print('deleted');
  const { faults } = JSON.parse(text) as { readonly faults: readonly FaultSummary[] };
  for (const line of faults.map(lineOf)) print(line);
}

function lineOf({ id, when, fault, probability, seed, matched, hits, ends, ended, times }: FaultSummary): string {
  const { kind, ...parameters } = typeof fault === 'string' ? { kind: fault } : fault;
  const parts = [
    `${id}: ${kind}`,
    ...(Object.keys(parameters).length > 0 ? [JSON.stringify(parameters)] : []),
    ...(when ? [`for ${JSON.stringify(when)}`] : []),
    ...(probability === undefined ? [] : [`probability ${probability}, seed ${seed}`]),
    `${hits}${times === undefined ? '' : ` of ${times}`} hits of ${matched} requests`,
  ];
  const end = ended ? 'ended' : ends === undefined ? undefined : `until ${ends}`;
  return [...parts, ...(end === undefined ? [] : [end])].join(', ');
}
