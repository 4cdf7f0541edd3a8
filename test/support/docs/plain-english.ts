/** A word or form that the project's prose does not use, with what to write instead. */
export interface RejectedForm {
  readonly form: RegExp;
  readonly instead: string;
}

/** Words and forms that a reader who is not a native speaker trips over, and spellings that are not American. */
const wordForms: readonly RejectedForm[] = [
  { form: /\blest\b/gi, instead: 'so that … not' },
  { form: /\bwho(?:so)?ever\b/gi, instead: 'the caller' },
  { form: /\banew\b/gi, instead: 'again' },
  {
    form: /\b(?<!\bthere )(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|later\b|larger\b|one\b)\w+/gi,
    instead: 'is not a …',
  },
  { form: /\bsuch (?!as\b)(?:an? )?[\w-]+ as\b/gi, instead: 'if, that, like' },
  { form: /\bby and by\b/gi, instead: 'gradually' },
  { form: /\bmak(?:es?|ing) good\b/gi, instead: 'repairs' },
  { form: /\bmend(?:s|ed|ing)?\b/gi, instead: 'repair, reopen, fix' },
  { form: /\bstands? once\b/gi, instead: 'is defined once' },
  { form: /\b(?:where|there)(?:in|of|upon|from)\b/gi, instead: 'in it, of it' },
  { form: /\b(?:worth the while|plan of the house|rooms? of the house|wears?|clothes)\b/gi, instead: 'plain words' },
  { form: /\b(?:behavio|colo|favo|hono|neighbo)ur\w*/gi, instead: 'the American spelling, with "or"' },
  { form: /\b(?:licence|defence|learnt|whilst|amongst|artefact|centre)\w*/gi, instead: 'the American spelling' },
  {
    form: /\b(?:serial|normal|recogn|initial|optim|organ|summar|synchron)is(?:e[sd]?|ing|ation|able)\b/gi,
    instead: 'the American spelling, with "iz"',
  },
];

/** Forms of other languages that have one English form. */
const foreignForms: readonly RejectedForm[] = [
  { form: /(?<!\()\bOurs[:.](?=\s)/g, instead: '(Our choice: …)' },
  { form: /\b(?:go(?:es)?|went|going) on\b(?! (?:the|a|one|top)\b)/gi, instead: 'continues, resumes' },
  { form: /\bunder way\b/gi, instead: 'in progress, in flight, running' },
  { form: /\bcollectors? of garbage\b/gi, instead: 'garbage collector' },
  { form: /\bmostly\b/gi, instead: 'usually' },
  { form: /\bLooks whether\b/g, instead: 'Detects, Returns whether' },
];

/** Words that the documents of the protocol quote, and the rest of the project does not use. */
const quotedForms: readonly RejectedForm[] = [
  { form: /\brefus(?:es?|ed|ing|als?)\b(?! connections\b)/gi, instead: 'rejects, rejection' },
];

/** A text that may stay, because it belongs to the service, to another program or to its own meaning. */
export interface Exception {
  /** The file, from the root of the repository. */
  readonly path: string;
  /** The words around the form, on one line. */
  readonly text: string;
  readonly why: string;
}

/** Returns each rejected form of a text with its line number. Code blocks and code spans of Markdown are left out. */
export function findRejectedForms(path: string, text: string, exceptions: readonly Exception[]): string[] {
  const prose = path.endsWith('.md') ? withoutCode(text) : text;
  const allowed = exceptions.filter((exception) => exception.path === path);
  const forms = [...wordForms, ...foreignForms, ...(path.startsWith('docs/protocol/') ? [] : quotedForms)];
  return prose.split('\n').flatMap((line, at) => {
    const rest = allowed.reduce((left, exception) => left.replaceAll(exception.text, ''), line);
    return forms.flatMap(({ form, instead }) =>
      [...rest.matchAll(form)].map(([words]) => `${path}:${at + 1}: "${words}"; write: ${instead}`),
    );
  });
}

/** Blanks out code, and the targets of links. Lines keep their numbers. */
function withoutCode(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)\s]*\)/g, ']');
}
