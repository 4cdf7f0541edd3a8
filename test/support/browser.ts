import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a browser to test with. */
export const isBrowserInstalled = existsSync(executablePath);

/** The title of a chapter that needs a browser; it says where none was found. */
export function titleWithBrowser(title: string): string {
  return isBrowserInstalled ? title : `${title} (left out: no browser at ${executablePath}; set CHROMIUM)`;
}

const usualArguments =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync';

/** Starts a browser with these arguments beside the usual ones. */
export function launchBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...usualArguments.split(' '), ...more] });
}

/** What a page asks for. */
export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What the script of a page could read of an answer; only `failed` where the browser kept it back. */
export type Read =
  | { readonly failed: string }
  | { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Fetches from within a page, as a script of its own would. */
export function fetchFrom(page: Page, asked: Asked): Promise<Read> {
  return page.evaluate(async ({ url, ...init }): Promise<Read> => {
    try {
      const response = await fetch(url, init);
      return {
        status: response.status,
        body: await response.text(),
        headers: Object.fromEntries(response.headers.entries()),
      };
    } catch (error) {
      return { failed: String(error) };
    }
  }, asked);
}
