import { Command } from 'commander';
import { endpointOf, rootOf } from '../../client/connection-strings.js';
import { sendRequest, type TargetServer, textOf } from '../../client/http-transport.js';
import { readLines } from '../../client/read-lines.js';
import { requestOf } from '../../client/request-of.js';
import { readServerUrl, urlFlag, urlVariable } from '../../client/server-url.js';
import { ConfigError, escapeText } from '../../config.js';
import type { AnyVerb, FileVerb, VerbServer } from '../../verbs/verb.js';
import { describeFailure } from '../describe-failure.js';
import { readConfig } from '../options/server-options.js';
import { print, printError } from '../output.js';
import { type FoundVerb, isFollower } from './find-verb.js';
import { type AskedVerb, parseVerb, partOf } from './verb-command.js';

/**
 * Runs a verb as a command line asks: asks each server, and prints the answers. With several servers, each line begins with the
 * URL of its server.
 *
 * Returns the exit code. Errors: ConfigError and RejectedCall.
 */
export async function runVerb({ verb, rest }: FoundVerb, environment: NodeJS.ProcessEnv): Promise<number> {
  const asked = parseVerb(verb, rest);
  if (!asked) return 0;
  if (verb.isLocal && !verb.sends) {
    return printAnswer(verb, asked, JSON.stringify(await verb.run({} as VerbServer, asked.asked, {})), '', print);
  }
  const servers = askedServers(asked.urls, environment);
  const [first] = servers;
  if (first && servers.length === 1) return runAt(first, verb, asked, print);
  const reason = partOf(verb)?.whyOneServer?.(asked);
  if (reason !== undefined) throw new ConfigError(`${reason} Name one with --url.`);
  const ask = async (server: TargetServer) => {
    const root = rootOf(server.endpoint);
    const printOf = (line: string) =>
      print(asked.json ? JSON.stringify({ server: root, ...JSON.parse(line) }) : `${root} ${line}`);
    try {
      return await runAt(server, verb, asked, printOf);
    } catch (error) {
      printError(describeFailure(error));
      return 2;
    }
  };
  // Following one server does not end, so all are followed at once. Otherwise answers come in the order of the command line.
  const codes = isFollower(verb) ? await Promise.all(servers.map(ask)) : [];
  if (!isFollower(verb)) for (const server of servers) codes.push(await ask(server));
  return Math.max(...codes);
}

async function runAt(
  server: TargetServer,
  verb: AnyVerb,
  asked: AskedVerb,
  printLine: (line: string) => void,
): Promise<number> {
  const part = partOf(verb);
  if (part?.run || verb.sends === 'file') return part?.run?.(server, verb, asked, printLine) ?? 0;
  const root = rootOf(server.endpoint);
  const answer = await sendRequest(server, requestOf(verb, asked.asked));
  if (!verb.sends) return printAnswer(verb, asked, await textOf(answer), root, printLine);
  for await (const line of readLines(answer.setEncoding('utf8'))) printAnswer(verb, asked, line, root, printLine);
  return 0;
}

/** Prints an answer, which is JSON. Returns the exit code. */
function printAnswer(
  verb: Exclude<AnyVerb, FileVerb>,
  { asked, json }: AskedVerb,
  text: string,
  root: string,
  printLine: (line: string) => void,
): number {
  const value: unknown = JSON.parse(text);
  if (json) printLine(text.trimEnd());
  else for (const line of verb.lines(value, asked, root)) printLine(escapeText(line));
  return verb.exitCode?.(value) ?? 0;
}

/**
 * Returns the servers that a command asks: those of `--url`, else that of TABULARIUM_URL, else the one that the other variables
 * describe, as in a container. Errors: ConfigError.
 */
export function askedServers(urls: readonly string[], environment: NodeJS.ProcessEnv): readonly TargetServer[] {
  const named = environment[urlVariable];
  const endpoints =
    urls.length > 0
      ? urls.map((url) => readServerUrl(url, urlFlag))
      : named
        ? [readServerUrl(named, urlVariable)]
        : undefined;
  if (endpoints && !environment['TABULARIUM_CONFIG']) {
    const token = environment['TABULARIUM_ADMIN_TOKEN'] || environment['TABULARIUM_ADMIN_READ_TOKEN'] || undefined;
    return endpoints.map((endpoint) => ({ endpoint, token }));
  }
  const config = readConfig(new Command(), environment);
  const token = config.adminToken ?? config.adminReadToken;
  return (endpoints ?? [endpointOf(config)]).map((endpoint) => ({ endpoint, token }));
}
