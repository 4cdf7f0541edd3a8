// Preloaded by node.exe under Wine: symbolic links fail as for a plain user of Windows. Wine reports success and makes no link.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

fs.promises.symlink = async (target, path) => {
  const message = `EPERM: operation not permitted, symlink '${target}' -> '${path}'`;
  throw Object.assign(new Error(message), { code: 'EPERM', errno: -4048, syscall: 'symlink' });
};
syncBuiltinESMExports();
