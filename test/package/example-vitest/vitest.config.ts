/// <reference types="tabularium/vitest" />
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // One file at a time, because a server has one mark.
  test: { globalSetup: 'tabularium/vitest', setupFiles: 'tabularium/vitest/marks', fileParallelism: false },
});
