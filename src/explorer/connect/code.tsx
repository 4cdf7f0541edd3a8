import { signal } from '@preact/signals';
import { connectionStringVariable } from '../../protocol/access/connection-string.js';
import { showError } from '../model/notices.js';
import { copyText } from '../parts/copy.js';
import { Choice } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { firstProgram, languages } from '../parts/programs.js';
import { Section } from '../parts/section.js';

/** The language whose program is shown. */
const language = signal(languages[0]);

/** A first program in each language, complete. */
export function Code() {
  const lines = language.value ? firstProgram(language.value) : '';
  return (
    <Section
      title="In a program"
      beside={
        <>
          <Choice
            name="language"
            label="Language"
            options={languages.map(({ label }) => label)}
            chosen={language.value?.label}
            onChange={(name) => (language.value = languages.find(({ label }) => label === name))}
          />
          <button
            type="button"
            onClick={() => copyText(lines, `the program in ${language.value?.label}`).catch(showError)}
          >
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
