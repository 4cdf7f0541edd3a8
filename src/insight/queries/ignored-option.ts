import { lowerAscii } from '../../protocol/names.js';

/** Returns the first option of a target that is ignored because its name lacks the $: `filter`, `select` or `top`, as sent. */
export function ignoredOption(target: string): string | undefined {
  return /[?&](filter|select|top)=/i.exec(target)?.[1];
}

/** Returns what is said of an ignored option, as a sentence. */
export function ignoredOptionWords(option: string): string {
  return `The option ${option} was ignored: its name is $${lowerAscii(option)}.`;
}
