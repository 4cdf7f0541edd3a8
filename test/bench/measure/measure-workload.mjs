import { median, runSlot } from './measure.mjs';

/**
 * Length of a server's turn, unless its kind names another. Turns are short, so that all servers see the same load of the
 * machine. Unit: milliseconds.
 */
export const turnMs = 200;

/** Runs before the first turn, for code that V8 has yet to compile. Unit: milliseconds. */
const warmUpMs = 300;

/** Every workload has at least this number of rounds, however slow a server is. */
const roundsMin = 3;

/**
 * How many turns the other servers have in a round in which one has a longer turn. With one, they had three turns in all, and the
 * noise of the machine decided.
 */
const turnsBesideLong = 8;

/** Tables of this number of rows or more count as large. */
const largeRows = 100_000;

/**
 * Runs a workload on servers in turn, round after round, for about `workloadMs` milliseconds. The servers take turns in
 * going first. Servers with the same name are copies: each round has one of them, in turn.
 *
 * Returns one row for each part of the workload: the figures of each server (`servers`), and the rate of each server in
 * each round (`rounds`).
 */
export async function measureWorkload(servers, workload, { workloadMs }) {
  for (const { server, state } of servers) await runSlot(server, workload, state, warmUpMs);
  const copies = groupByName(servers);
  const names = [...copies.keys()];
  const copiesMax = Math.max(...[...copies.values()].map(({ length }) => length));
  const rounds = [];
  const deadline = performance.now() + workloadMs;
  while (rounds.length < Math.max(roundsMin, copiesMax) || performance.now() < deadline) {
    const inTurn = names.map((_, at) => copies.get(names[(at + rounds.length) % names.length]));
    rounds.push(
      await runRound(
        inTurn.map((own) => own[rounds.length % own.length]),
        workload,
      ),
    );
  }
  return workload.parts.map(({ name: part }, at) => ({
    workload: part,
    servers: Object.fromEntries(
      names.map((name) => [
        name,
        summarize(
          rounds.map((round) => round[name].map((parts) => parts[at])),
          copies.get(name).length,
        ),
      ]),
    ),
    rounds: rounds.map((round) =>
      Object.fromEntries(
        Object.entries(round).map(([name, turns]) => [name, median(turns.map((parts) => parts[at].rate))]),
      ),
    ),
  }));
}

/** Runs the turns of one round. Returns the figures of each turn of each server, by name. */
async function runRound(servers, workload) {
  const round = Object.fromEntries(servers.map(({ name }) => [name, []]));
  const isLong = ({ server, state }) => turnMsOf(server.kind, workload, state) > turnMs;
  const turns = servers.some(isLong) ? turnsBesideLong : 1;
  for (let turn = 0; turn < turns; turn++) {
    for (const one of servers) {
      if (turn > 0 && isLong(one)) continue;
      const { name, server, state } = one;
      round[name].push(await runSlot(server, workload, state, turnMsOf(server.kind, workload, state)));
    }
  }
  return round;
}

/** Returns the servers of each name. */
function groupByName(servers) {
  const groups = new Map();
  for (const server of servers) groups.set(server.name, [...(groups.get(server.name) ?? []), server]);
  return groups;
}

/** Returns how many times as fast one server is as another: the median of the rounds; undefined if one did not run. */
export function speedRatio({ rounds }, above, below) {
  if (rounds.some((round) => !round[above] || !round[below])) return undefined;
  return median(rounds.map((round) => round[above] / round[below]));
}

/** Returns the ratio of the processor times of two servers for an operation; undefined if one did not run. */
export function cpuRatio({ servers }, above, below) {
  if (!servers[above] || !servers[below]) return undefined;
  return servers[above].cpu / servers[below].cpu;
}

function turnMsOf({ largeWriteMs }, { writes }, { rows }) {
  return (writes && rows >= largeRows && largeWriteMs) || turnMs;
}

/**
 * Joins the figures of the turns of all rounds of some copies: the median rate, the mean of the copies' 10th percentiles of the
 * processor time, and latencies of all requests. A busy machine only adds processor time, so a low percentile is the one that
 * can be repeated.
 */
function summarize(rounds, copies) {
  const figures = rounds.flat();
  const latencies = figures.flatMap((one) => [...one.latencies]).sort((a, b) => a - b);
  const lows = Array.from({ length: copies }, (_, copy) => {
    const own = rounds.filter((_, round) => round % copies === copy).flat();
    const cpu = own.map((one) => one.cpu).sort((a, b) => a - b);
    return cpu[Math.floor(cpu.length / 10)];
  });
  return {
    rate: median(figures.map((one) => one.rate)),
    cpu: lows.reduce((sum, low) => sum + low, 0) / copies,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    max: latencies.at(-1) ?? 0,
  };
}
