import { copyText } from '../../parts/copy-text.js';
import { Menu, type MenuItem } from '../../parts/menu.js';
import { account } from '../../shell/session.js';
import { filter, select } from '../query/query.js';
import { table } from '../tables.js';
import { samples } from './samples.js';

/** Copies the query as a program in some language. */
export function CopyMenu() {
  return <Menu label="Copy as" icon="copy" items={copyItems()} />;
}

/** Returns the languages that the query can be copied as. */
export function copyItems(): readonly MenuItem[] {
  return samples.map(({ label, write }) => ({
    label,
    run: () =>
      void copyText(
        write({
          root: location.origin,
          account: account.value?.name ?? '',
          table: table.value ?? '',
          filter: filter.value,
          select: select.value,
        }),
        label,
      ),
  }));
}
