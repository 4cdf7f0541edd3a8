/** A form that other query languages have and a `$filter` of the service does not, with the form that works. */
export interface FilterIdiom {
  readonly cause: string;
  /** Matches the form in a filter whose strings were blanked out: their letters are `_`, their quotes remain. */
  readonly form: RegExp;
  readonly text: string;
  /** Returns what to write. The parts are the groups of `form`, as the filter has them. */
  readonly advice: (parts: readonly string[]) => string;
  /** Returns what to write in place of the whole form; absent if only the writer can decide that. */
  readonly fix?: (parts: readonly string[], whole: string) => string;
}

const name = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const string = "'(?:[^']|'')*'";

/** Returns a regular expression for a form. The flags are those that all forms need. */
function form(source: string): RegExp {
  return new RegExp(source, 'iu');
}

/** The forms, in the order in which they are looked for: the first that matches is the explanation. */
export const filterIdioms: readonly FilterIdiom[] = [
  {
    cause: 'filter-startswith',
    form: form(String.raw`\bstartswith\s*\(\s*(${name})\s*,\s*(${string})\s*\)(?:\s+eq\s+true)?`),
    text: 'The service has no function startswith.',
    advice: ([property = '', literal = '']) =>
      `Write a range: ${property} ge ${literal} and ${property} lt ${nextOf(literal)}.`,
    fix: ([property = '', literal = '']) => `(${property} ge ${literal} and ${property} lt ${nextOf(literal)})`,
  },
  {
    cause: 'filter-substring',
    form: form(String.raw`\b(?:contains|substringof|endswith|indexof)\s*\(`),
    text: 'The service cannot search within a string.',
    advice: () =>
      'Select by a range of keys and search the result, or store what you search for in a property of its own.',
  },
  {
    cause: 'filter-letter-case',
    form: form(String.raw`\b(?:tolower|toupper)\s*\(`),
    text: 'The service compares strings by their exact letters and has no function for letter case.',
    advice: () => 'Store a copy in lower case and compare with that.',
  },
  {
    cause: 'filter-in',
    form: form(String.raw`(${name})\s+in\s*\(`),
    text: "The service has no operator 'in'.",
    advice: ([property = '']) =>
      `Join comparisons: (${property} eq … or ${property} eq …). For keys, send one query for each value.`,
  },
  {
    cause: 'filter-has',
    form: form(String.raw`\b${name}\s+has\s+`),
    text: "The service has no operator 'has'.",
    advice: () => "Compare with 'eq', or store one property for each flag.",
  },
  {
    cause: 'filter-null',
    form: form(String.raw`\b(?:eq|ne)\s+null\b|\bnull\s+(?:eq|ne)\b`),
    text: 'The service has no null: a property is there or it is not.',
    advice: () =>
      'Read the entities and look for the missing property in the client, or store a value that stands for none.',
  },
  {
    cause: 'filter-sign-operator',
    form: form(String.raw`==|!=|<=|>=|&&|\|\||<|>|!`),
    text: 'Operators are words in a $filter, not signs.',
    advice: () => 'Write eq, ne, gt, ge, lt, le, and, or, not.',
    fix: (_parts, sign) => ` ${wordsOfSigns.get(sign)} `,
  },
  {
    cause: 'filter-double-quotes',
    form: form('"[^"]*"'),
    text: 'Strings are in single quotes.',
    advice: () => "Write 'text', with a quote inside the text doubled.",
    fix: (_parts, quoted) => `'${quoted.slice(1, -1).replaceAll("'", "''")}'`,
  },
  {
    cause: 'filter-int64-suffix',
    form: form(String.raw`(?<![\w.])(-?(?:\d{11,}|[3-9]\d{9}|2(?:[2-9]\d|1[5-9])\d{7}))(?![\w.])`),
    text: 'A whole number beyond 32 bits needs the suffix L.',
    advice: ([digits = '']) => `Write ${digits}L.`,
    fix: ([digits = '']) => `${digits}L`,
  },
  {
    cause: 'filter-datetime-prefix',
    form: form(String.raw`(?<!['\w])(\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)`),
    text: 'A date is a literal with a prefix and quotes.',
    advice: ([date = '']) => `Write ${dateLiteral(date)}.`,
    fix: ([date = '']) => dateLiteral(date),
  },
  {
    cause: 'filter-guid-prefix',
    form: form(String.raw`(?<!['\w])([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`),
    text: 'A GUID is a literal with a prefix and quotes.',
    advice: ([guid = '']) => `Write guid'${guid}'.`,
    fix: ([guid = '']) => `guid'${guid}'`,
  },
];

/** The operator that each sign of another language stands for. */
const wordsOfSigns: ReadonlyMap<string, string> = new Map([
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<=', 'le'],
  ['>=', 'ge'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

function dateLiteral(date: string): string {
  return `datetime'${date.includes('T') ? date : `${date}T00:00:00Z`}'`;
}

/** Returns the literal that ends the range of all strings that begin with this one. */
function nextOf(literal: string): string {
  const text = literal.slice(1, -1).replaceAll("''", "'");
  const last = text.charCodeAt(text.length - 1);
  const next = text === '' || last === 0xffff ? `${text}\uffff` : text.slice(0, -1) + String.fromCharCode(last + 1);
  return `'${next.replaceAll("'", "''")}'`;
}
