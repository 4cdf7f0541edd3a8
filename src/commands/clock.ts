import { commandLine } from '../command-line.js';
import { ConfigError } from '../config.js';
import type { ClockState } from '../entity/test-clock.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';
import type { clockVerbs } from './state-verbs.js';

/** What a call of the command asks for. */
export interface ClockQuestion {
  readonly verb: (typeof clockVerbs)[number];
  /** The instant to freeze at, or how far to advance. */
  readonly value: string | undefined;
  readonly json?: true;
}

/** Shows or sets the clock of a running server. `print` gets one line. */
export async function useClock(
  config: CommandConfig,
  { verb, value, json }: ClockQuestion,
  print: (line: string) => void,
): Promise<void> {
  if (verb === 'advance' && value === undefined)
    throw new ConfigError(`Say how far: ${commandLine('clock advance 1h')}.`);
  const body = {
    freeze: { freeze: value === undefined || value === 'now' ? true : value },
    advance: { advance: value },
    resume: { resume: true },
    show: {},
  }[verb];
  const question = { path: '/clock', ...(verb !== 'show' && ({ method: 'POST', body } as const)) };
  const text = await textOf(await askControl(config, question));
  if (json) return print(text.trimEnd());
  const { now, frozen, aheadMs } = JSON.parse(text) as ClockState;
  const ahead = aheadMs === 0 ? 'the real time' : `${aheadMs / 1000} s ahead of the real time`;
  print(`${now}, ${frozen ? 'frozen' : ahead}`);
}
