/** The three services, in the order Azurite says that they are ready. */
export const services = /** @type {const} */ (['blob', 'queue', 'table']);

/** @typedef {(typeof services)[number]} Service */

/** Flags that all three know. Source: Azurite 3.37. */
const sharedFlags = new Set([
  ...['-l', '--location', '-s', '--silent', '-L', '--loose', '-d', '--debug'],
  ...['--skipApiVersionCheck', '--disableProductStyleUrl', '--disableTelemetry', '--inMemoryPersistence'],
  ...['--cert', '--key', '--pwd', '--oauth'],
]);

/** Questions that one service answers for all. Source: tried with Azurite 3.37. */
const questions = new Set(['-h', '--help', '-v', '--version']);

/** The same questions as a word of their own, which comes first. */
const questionWords = new Set(['help', 'version']);

/**
 * Flags that `azurite` takes and no service can be given: `azurite-queue` does not know its own, and ends when it is
 * given one; `azurite-blob` knows its own and does not use it. Source: tried with Azurite 3.37.
 */
const ineffectiveFlags = new Set(['--blobKeepAliveTimeout', '--queueKeepAliveTimeout']);

/** @typedef {{ words: Partial<Record<Service, string[]>>, notes: readonly string[] }} SplitFlags */

/**
 * Passes each service of `azurite` its own flags, since each refuses those of another. A word that follows a flag and
 * is not a flag itself is its value. A flag that Azurite does not have is one of ours, so the table service gets it.
 *
 * @param {readonly string[]} words what follows `azurite` on the command line
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {SplitFlags} the words of each service that is to run, and what the user should know
 */
export function splitFlags(words, environment) {
  const isQuestion = questionWords.has(words[0] ?? '') || words.some((word) => questions.has(word));
  if (isQuestion) return { words: { table: [...words] }, notes: [] };
  const flags = groupByFlag(words);
  const names = new Set(flags.map(([first]) => nameOf(first)));
  const dealt = (/** @type {Service} */ service) =>
    flags.filter(([first]) => takersOf(nameOf(first)).includes(service)).flat();
  return {
    words: {
      blob: [...dealt('blob'), ...defaultsOf('blob', names, environment)],
      queue: [...dealt('queue'), ...defaultsOf('queue', names, environment)],
      table: dealt('table'),
    },
    notes: [...ineffectiveFlags]
      .filter((name) => names.has(name))
      .map(
        (name) =>
          `${name} has no effect: the ${name.startsWith('--blob') ? 'blob' : 'queue'} service of Azurite does not use it.`,
      ),
  };
}

/**
 * @param {readonly string[]} words
 * @returns {[string, ...string[]][]} each flag with its value; words before the first flag alone
 */
function groupByFlag(words) {
  /** @type {[string, ...string[]][]} */
  const groups = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last?.[0].startsWith('-') && !word.startsWith('-')) last.push(word);
    else groups.push([word]);
  }
  return groups;
}

/** @param {string} word */
function nameOf(word) {
  return /^-[^-]/.test(word) ? word.slice(0, 2) : (word.split('=', 1)[0] ?? '');
}

/**
 * @param {string} name
 * @returns {readonly Service[]}
 */
function takersOf(name) {
  if (sharedFlags.has(name)) return services;
  if (ineffectiveFlags.has(name)) return [];
  if (name === '--extentMemoryLimit') return ['blob', 'queue'];
  if (name.startsWith('--blob')) return ['blob'];
  return name.startsWith('--queue') ? ['queue'] : ['table'];
}

/**
 * What the container's variables say to the table service, said to a service of Azurite, which reads none of them.
 *
 * @param {'blob' | 'queue'} service
 * @param {ReadonlySet<string>} names
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
function defaultsOf(service, names, environment) {
  const has = (/** @type {string[]} */ ...some) => some.some((name) => names.has(name));
  const isInMemory = /^(?:1|true|yes|on)$/i.test(environment['TABULARIUM_IN_MEMORY_PERSISTENCE'] ?? '');
  const words = has(`--${service}Host`) ? [] : [`--${service}Host`, environment['TABULARIUM_TABLE_HOST'] ?? '0.0.0.0'];
  if (!has('-l', '--location', '--inMemoryPersistence')) {
    words.push(...(isInMemory ? ['--inMemoryPersistence'] : ['--location', environment['TABULARIUM_LOCATION'] ?? '.']));
  }
  // A server for tests tells nobody that it runs.
  if (!has('--disableTelemetry')) words.push('--disableTelemetry');
  return words;
}
