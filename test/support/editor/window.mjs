import { until } from './code-server.mjs';

/** Longest wait for one step. Unit: milliseconds. */
const stepMs = 60_000;

/** A window of VS Code in a browser. */
export class EditorWindow {
  /** Errors, violations of a policy, and hosts that were asked besides that of the editor. */
  faults = [];
  page;

  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(stepMs);
    page.on('console', (message) => {
      if (
        /Content Security Policy/.test(message.text()) &&
        /_tabularium|page-host|tabularium\.page/.test(message.text())
      )
        this.faults.push(message.text());
    });
  }

  /** Opens a folder. */
  static async open(context, url, folder) {
    const window = new EditorWindow(await context.newPage());
    await window.page.goto(`${url}/?folder=${folder}`);
    await window.page.locator('.statusbar-item').first().waitFor();
    return window;
  }

  /**
   * Runs a command by its title, as the palette does, and picks rows of the lists that it opens, one after another. A window that is
   * still loading closes such lists: then it begins again.
   */
  async run(title, ...picked) {
    const { page } = this;
    await until(`the command ${title}`, async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('F1');
      const box = page.locator('.quick-input-widget input').first();
      await box.waitFor({ timeout: 5000 });
      await box.fill(`>${title}`, { timeout: 5000 });
      const row = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first();
      await row.waitFor({ timeout: 5000 });
      await row.click({ timeout: 5000 });
      for (const text of picked) await this.pick(text, 5000);
      return true;
    });
  }

  /** Picks a row of the open list. */
  async pick(text, timeout = stepMs) {
    await this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first().click({ timeout });
  }

  /** Types into the open input, and accepts it. */
  async type(text) {
    const box = this.page.locator('.quick-input-widget input').first();
    await box.fill(text);
    await box.press('Enter');
  }

  /** Waits until the status bar has an item with this text. */
  async bar(form) {
    await until(`${form} in the status bar`, async () => {
      const texts = await this.page.locator('.statusbar-item').allInnerTexts();
      return texts.some((text) => form.test(text.replaceAll(/\s+/g, ' ').trim()));
    });
  }

  /** Waits for a notice. Returns its element. */
  async notice(text) {
    const notice = this.page.locator('.notification-list-item').filter({ hasText: text }).first();
    await notice.waitFor();
    return notice;
  }

  /** Presses a button of a notice, or closes it. */
  async answer(text, button) {
    const notice = await this.notice(text);
    if (button === undefined) {
      await notice.hover();
      await notice.locator('.codicon-notifications-clear').first().click();
    } else await notice.locator('.monaco-button', { hasText: button }).click();
    await notice.waitFor({ state: 'detached' });
  }

  /** Waits for a row of the side bar. */
  async row(text) {
    const row = this.page.locator('.sidebar .monaco-list-row').filter({ hasText: text }).first();
    await row.waitFor();
    return row;
  }

  /** Returns the frame of the page, once it shows a text. */
  inner(text) {
    return until(`${text} in the page`, async () => {
      for (const frame of this.page.frames()) {
        if (
          (await frame
            .locator('#content')
            .count()
            .catch(() => 0)) &&
          (await frame.getByText(text).count())
        )
          return frame;
      }
      return undefined;
    });
  }
}
