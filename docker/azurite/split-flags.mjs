/** The three services, in the order of Azurite's ready lines. */
export const services = /** @type {const} */ (['blob', 'queue', 'table']);

/** @typedef {(typeof services)[number]} Service */

/** Flags that all three services accept. Source: Azurite 3.37. */
const sharedFlags = new Set([
  ...['-l', '--location', '-s', '--silent', '-L', '--loose', '-d', '--debug'],
  ...['--skipApiVersionCheck', '--disableProductStyleUrl', '--disableTelemetry', '--inMemoryPersistence'],
  ...['--cert', '--key', '--pwd', '--oauth'],
]);

/** Words that ask for help or the version. Without dashes they count only as the first word. Source: tried with Azurite 3.37. */
const questions = new Map(
  /** @type {const} */ ([
    ['-h', 'help'],
    ['--help', 'help'],
    ['-v', 'version'],
    ['--version', 'version'],
  ]),
);

/**
 * Flags that `azurite` accepts but no service can use. `azurite-queue` exits on its own flag; `azurite-blob` ignores
 * its flag. Source: tried with Azurite 3.37.
 */
const ineffectiveFlags = new Set(['--blobKeepAliveTimeout', '--queueKeepAliveTimeout']);

/**
 * @typedef {object} SplitFlags
 * @property {'help' | 'version' | undefined} question what the user asks instead of starting services
 * @property {Record<Service, string[]>} words the command line of each service
 * @property {readonly string[]} notes notes for the user
 */

/**
 * Passes each service of `azurite` its own flags, because each service rejects the flags of the others. A word that
 * follows a flag and is not a flag itself is its value. The table service gets every flag that Azurite does not have.
 *
 * @param {readonly string[]} words the command line after `azurite`
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {SplitFlags}
 */
export function splitFlags(words, environment) {
  const groups = groupByFlag(words);
  const flags = groups.filter(([first]) => first.startsWith('-'));
  const names = new Set(flags.map(([first]) => nameOf(first)));
  const flagsOf = (/** @type {Service} */ service) =>
    flags.filter(([first]) => servicesOf(nameOf(first)).includes(service)).flat();
  return {
    question: askedQuestion(words),
    words: {
      blob: [...flagsOf('blob'), ...defaultsOf('blob', names, environment)],
      queue: [...flagsOf('queue'), ...defaultsOf('queue', names, environment)],
      table: flagsOf('table'),
    },
    notes: [
      ...groups
        .filter(([first]) => !first.startsWith('-'))
        .map(([word]) => `'${word}' is not an option; it has no effect.`),
      ...[...ineffectiveFlags]
        .filter((name) => names.has(name))
        .map(
          (name) =>
            `${name} has no effect: the ${name.startsWith('--blob') ? 'blob' : 'queue'} service of Azurite does not use it.`,
        ),
    ],
  };
}

/** @param {readonly string[]} words */
function askedQuestion(words) {
  const [first] = words;
  if (first === 'help' || first === 'version') return first;
  return words.map((word) => questions.get(/** @type {'-h'} */ (word))).find((question) => question !== undefined);
}

/**
 * @param {readonly string[]} words
 * @returns {[string, ...string[]][]} each flag with its value; each word before the first flag in a group of its own
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
function servicesOf(name) {
  if (sharedFlags.has(name)) return services;
  if (ineffectiveFlags.has(name)) return [];
  if (name === '--extentMemoryLimit') return ['blob', 'queue'];
  if (name.startsWith('--blob')) return ['blob'];
  return name.startsWith('--queue') ? ['queue'] : ['table'];
}

/**
 * Returns flags with the values of the variables that the images set, for a service of Azurite, which does not read
 * these variables. Flags of the command line take precedence.
 *
 * @param {'blob' | 'queue'} service
 * @param {ReadonlySet<string>} names
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
function defaultsOf(service, names, environment) {
  const has = (/** @type {string[]} */ ...some) => some.some((name) => names.has(name));
  const {
    TABULARIUM_TABLE_HOST: host,
    TABULARIUM_LOCATION: location,
    TABULARIUM_IN_MEMORY_PERSISTENCE: inMemory = '',
  } = environment;
  const words = [];
  if (host && !has(`--${service}Host`)) words.push(`--${service}Host`, host);
  if (has('-l', '--location', '--inMemoryPersistence')) return words;
  if (/^(?:1|true|yes|on)$/i.test(inMemory)) words.push('--inMemoryPersistence');
  else if (location) words.push('--location', location);
  return words;
}
