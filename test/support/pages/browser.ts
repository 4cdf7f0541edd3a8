import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** True if a browser for the tests is installed. */
export const isBrowserInstalled = existsSync(executablePath);

/** Returns the title of tests that need a browser. It contains the reason if they are skipped. */
export function titleWithBrowser(title: string): string {
  return isBrowserInstalled ? title : `${title} (left out: no browser at ${executablePath}; set CHROMIUM)`;
}

/** How long a browser may take to start, or for a step, on a machine with much other work. Unit: milliseconds. */
export const stepTimeout = 60_000;

const usualArguments =
  '--headless --no-sandbox --disable-gpu --in-process-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync';

/** Starts a browser with these arguments in addition to the usual ones. */
export function launchBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...usualArguments.split(' '), ...more], timeout: stepTimeout });
}

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser that the test files of this process share, because each takes a second to start. A file makes contexts in it,
 * which know nothing of each other, and closes those. It ends with the process.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** A request of a page. */
export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What the script of a page could read of an answer, or `failed` if the browser blocked it. */
export type Read =
  | { readonly failed: string }
  | { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Runs a fetch inside a page. */
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
