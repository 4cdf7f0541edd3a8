import { vi } from 'vitest';

/** Returns a double of the module `vscode`, in which nobody answers a notice. */
export function vscodeDouble() {
  return { window: { showInformationMessage: vi.fn(() => new Promise<never>(() => {})) } };
}
