import { rootOf } from '../client/connection-strings.js';
import { ConfigError } from '../config.js';
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

/**
 * Adds, lists, deletes or clears fault rules of a running server, or of several. `print` gets one line; with several servers, it
 * begins with the server's URL.
 *
 * Errors: ConfigError; with several servers only after each was asked.
 */
export async function useFaults(
  config: CommandConfig,
  question: FaultQuestion,
  print: (line: string) => void,
): Promise<void> {
  const { verb, words, json } = question;
  checkVerb('fault', faultVerbs[verb], { verb, words, options: {} });
  if (config.servers.length <= 1) return useFaultsOf(config, question, print);
  const failures: string[] = [];
  for (const server of config.servers) {
    const root = rootOf(server);
    const printOf = (line: string) =>
      print(json ? JSON.stringify({ server: root, ...JSON.parse(line) }) : `${root} ${line}`);
    try {
      await useFaultsOf({ ...config, server }, question, printOf);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length > 0) throw new ConfigError(failures.join('\n'));
}

async function useFaultsOf(
  config: CommandConfig,
  { verb, words, json }: FaultQuestion,
  print: (line: string) => void,
): Promise<void> {
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
