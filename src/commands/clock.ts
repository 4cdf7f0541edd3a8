import type { ClockState } from '../clock/test-clock.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';
import { checkVerb, clockVerbs } from './verb-words.js';

/** What a call of the command asks for. */
export interface ClockQuestion {
  readonly verb: keyof typeof clockVerbs;
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
  checkVerb('clock', clockVerbs[verb], { verb, words: value === undefined ? [] : [value], options: {} });
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
