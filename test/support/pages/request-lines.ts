import type { Locator, Page } from 'playwright-core';

/** Returns the lines of the list of requests with a text; without one, all lines. */
export function linesOf(page: Page, text: string | RegExp = ''): Locator {
  return page.locator('.requests .rows [role=row]', { hasText: text });
}

/** Returns the open request. */
export function requestOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Request', exact: true });
}

/** Opens the first line with a text. */
export async function openLine(page: Page, text: string | RegExp): Promise<Locator> {
  await linesOf(page, text).first().click();
  return requestOf(page);
}
