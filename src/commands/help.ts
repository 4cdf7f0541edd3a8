import type { Command } from 'commander';
import { commandLine } from '../command-line.js';
import type { AnyVerb } from '../verbs/verb.js';
import { commandVerbs, findVerb, nounOf, readerOf, unknownCommand, verbsOf } from './verbs/find-verb.js';
import { createVerbCommand } from './verbs/verb-command.js';

/**
 * Returns the requested help: a verb, the verbs of a noun, or all commands on one screen; undefined for commands that are not verbs.
 * Errors: ConfigError for an unknown word, or a noun with an unknown verb.
 */
export function helpFor(args: readonly string[], program: Command): string | undefined {
  const words = args.filter((word) => !['help', '--help', '-h'].includes(word));
  const [noun] = words;
  if (noun === undefined) return overview(program);
  const verbs = verbsOf(noun);
  const isVerb = verbs.some(({ name }) => name === noun);
  const hasList = verbs.length > 1 || (verbs.length === 1 && !readerOf(verbs));
  if (words.length === 1 && hasList && !isVerb) return nounHelp(verbs);
  const match = findVerb(words);
  const others = program.commands.map((command) => command.name());
  if (!match && !noun.startsWith('-') && !others.includes(noun)) throw unknownCommand(noun, others);
  if (!match) return undefined;
  let text = '';
  const writeOut = (part: string) => {
    text += part;
  };
  createVerbCommand(match.verb).configureOutput({ writeOut }).outputHelp();
  return text;
}

function nounHelp(verbs: readonly AnyVerb[]): string {
  const width = Math.max(...verbs.map(({ name }) => name.length));
  const noun = verbs[0] ? nounOf(verbs[0]) : '';
  return [
    `Usage: tabularium ${noun} <verb> [options]`,
    '',
    ...verbs.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`),
    '',
    `${commandLine(`help ${noun} <verb>`)} has the options of each.`,
    '',
  ].join('\n');
}

function overview(program: Command): string {
  const nouns = [...new Set(commandVerbs.map(nounOf))].sort();
  const ofServer = nouns.flatMap((noun): readonly (readonly [string, string])[] => {
    const verbs = commandVerbs.filter((verb) => nounOf(verb) === noun);
    if (verbs.length <= 2) return verbs.map(({ name, does }) => [name, does]);
    return [[noun, verbs.flatMap(({ name }) => name.split(' ')[1] ?? []).join(', ')]];
  });
  const others = program.commands.map((command) => [command.name(), command.description()] as const);
  const width = Math.max(...[...ofServer, ...others].map(([name]) => name.length));
  const lines = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`);
  return [
    'Usage: tabularium [command] [options]. Without a command it starts a server: see help start.',
    '',
    'Ask a running server:',
    ...lines(ofServer),
    '',
    'Other commands:',
    ...lines(others),
    '',
    `${commandLine('help <command>')} has the options of each. A noun alone reads, as in snapshots.`,
    '',
  ].join('\n');
}
