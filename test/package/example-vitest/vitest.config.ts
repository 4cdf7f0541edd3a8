/// <reference types="tabularium/vitest" />
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globalSetup: 'tabularium/vitest', setupFiles: 'tabularium/vitest/marks' },
});
