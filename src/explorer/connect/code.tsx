import { signal } from '@preact/signals';
import { connectionStringVariable } from '../../protocol/access/connection-string.js';
import { showError } from '../model/notices.js';
import { copyText } from '../parts/copy.js';
import { Choice } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Section } from '../parts/section.js';
import { type SnippetLanguage, snippets } from './snippets.js';

/** The language whose program is shown. */
const language = signal<SnippetLanguage>('JavaScript');

/** A first program in each language, complete. */
export function Code() {
  const lines = snippets[language.value];
  return (
    <Section
      title="In a program"
      beside={
        <>
          <Choice
            name="language"
            label="Language"
            options={Object.keys(snippets)}
            chosen={language.value}
            onChange={(name) => (language.value = name as SnippetLanguage)}
          />
          <button type="button" onClick={() => copyText(lines, `the program in ${language.value}`).catch(showError)}>
            <Icon name="copy" />
            Copy the program
          </button>
        </>
      }
    >
      <pre>{lines}</pre>
      <p>
        The SDKs are unmodified. Only the connection string names this server; put it into the variable{' '}
        <code>{connectionStringVariable}</code>. The command <code>exec</code> sets it, too. The program can run again.
      </p>
    </Section>
  );
}
