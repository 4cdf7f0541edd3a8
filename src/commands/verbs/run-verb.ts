import { Command } from 'commander';
import { type Endpoint, endpointOf, rootOf } from '../../client/connection-strings.js';
import { sendRequest, type TargetServer, textOf } from '../../client/http-transport.js';
import { readLines } from '../../client/read-lines.js';
import { requestOf } from '../../client/request-of.js';
import { readServerUrl, urlFlag, urlVariable } from '../../client/server-url.js';
import { ConfigError, escapeText } from '../../config.js';
import { peopleAt } from '../../verbs/fields.js';
import type { AnyVerb, FileVerb, VerbServer } from '../../verbs/verb.js';
import { describeFailure } from '../describe-failure.js';
import { readConfig } from '../options/server-options.js';
import { print, printError } from '../output.js';
import { isFollower, type VerbMatch } from './find-verb.js';
import { parseVerb, partOf, type VerbArguments } from './verb-command.js';

/**
 * Runs the verb of a command line on each server, and prints the answers. With several servers, prefixes each line with the URL of
 * its server. Returns the exit code. Errors: ConfigError; RejectedCall.
 */
export async function runVerb({ verb, rest }: VerbMatch, environment: NodeJS.ProcessEnv): Promise<number> {
  const args = parseVerb(verb, rest);
  if (!args) return 0;
  if (verb.isLocal && !verb.sends) {
    return printAnswer(verb, args, JSON.stringify(await verb.run({} as VerbServer, args.input, {})), '', print);
  }
  const servers = targetServers(args.urls, environment);
  const [first] = servers;
  if (first && servers.length === 1) return runAt(first, verb, args, print);
  const reason = partOf(verb)?.whyOneServer?.(args);
  if (reason !== undefined) throw new ConfigError(`${reason} Name one with --url.`);
  const ask = async (server: TargetServer) => {
    const root = rootOf(server.endpoint);
    const printOf = (line: string) =>
      print(args.json ? JSON.stringify({ server: root, ...JSON.parse(line) }) : `${root} ${line}`);
    try {
      return await runAt(server, verb, args, printOf);
    } catch (error) {
      printError(describeFailure(error));
      return 2;
    }
  };
  // Following never ends, so follow all servers at once; otherwise print the answers in the order of the command line.
  const codes = isFollower(verb) ? await Promise.all(servers.map(ask)) : [];
  if (!isFollower(verb)) for (const server of servers) codes.push(await ask(server));
  return Math.max(...codes);
}

async function runAt(
  server: TargetServer,
  verb: AnyVerb,
  args: VerbArguments,
  printLine: (line: string) => void,
): Promise<number> {
  const part = partOf(verb);
  if (part?.run || verb.sends === 'file') return part?.run?.(server, verb, args, printLine) ?? 0;
  const root = rootOf(server.endpoint);
  const answer = await sendRequest(server, requestOf(verb, args.input));
  if (!verb.sends) return printAnswer(verb, args, await textOf(answer), root, printLine);
  for await (const line of readLines(answer.setEncoding('utf8'))) printAnswer(verb, args, line, root, printLine);
  return 0;
}

/** Prints a JSON answer. Returns the exit code. */
function printAnswer(
  verb: Exclude<AnyVerb, FileVerb>,
  { input, json }: VerbArguments,
  text: string,
  root: string,
  printLine: (line: string) => void,
): number {
  const value: unknown = JSON.parse(text);
  if (json) printLine(text.trimEnd());
  else for (const line of verb.lines(value, input, peopleAt(root))) printLine(escapeText(line));
  return verb.exitCode?.(value) ?? 0;
}

/** A server for a command, and whether its token may only read. */
export interface ChosenServer extends TargetServer {
  readonly onlyReads: boolean;
}

/**
 * Returns the servers for a command: those of `--url`, else the one of TABULARIUM_URL, else the one that the other variables describe,
 * as in a container. Errors: ConfigError.
 */
export function targetServers(urls: readonly string[], environment: NodeJS.ProcessEnv): readonly ChosenServer[] {
  const named = environment[urlVariable];
  const endpoints =
    urls.length > 0
      ? urls.map((url) => readServerUrl(url, urlFlag))
      : named
        ? [readServerUrl(named, urlVariable)]
        : undefined;
  const chosen = (endpoint: Endpoint, all: string | undefined, read: string | undefined) => ({
    endpoint,
    token: all ?? read,
    onlyReads: all === undefined && read !== undefined,
  });
  if (endpoints && !environment['TABULARIUM_CONFIG']) {
    const tokenIn = (variable: string) => environment[variable] || undefined;
    const [all, read] = [tokenIn('TABULARIUM_ADMIN_TOKEN'), tokenIn('TABULARIUM_ADMIN_READ_TOKEN')];
    return endpoints.map((endpoint) => chosen(endpoint, all, read));
  }
  const config = readConfig(new Command(), environment);
  return (endpoints ?? [endpointOf(config)]).map((endpoint) =>
    chosen(endpoint, config.adminToken, config.adminReadToken),
  );
}
