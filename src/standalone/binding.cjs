// Replaces the module with which classic-level loads its addon. The system loads an addon only from a file, so it is copied from
// the binary into a folder that only this user may write.
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { getRawAsset } = require('node:sea');

const folder = mkdtempSync(join(tmpdir(), 'tabularium-'));
const file = join(folder, 'classic-level.node');
writeFileSync(file, Buffer.from(getRawAsset('classic-level.node')), { mode: 0o600, flag: 'wx' });
try {
  process.dlopen(module, file);
} finally {
  remove();
}

function remove() {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    // Windows keeps a loaded file. It lies in the user's folder for temporary files, which the system cleans up.
    if (process.platform !== 'win32') throw error;
  }
}
