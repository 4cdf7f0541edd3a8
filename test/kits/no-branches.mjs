// Runs a command, and fails if it leaves branches on the server at TABULARIUM_URL: node no-branches.mjs <command> [arguments...].
import { spawnSync } from 'node:child_process';

const [file, ...words] = process.argv.slice(2);
const { status } = spawnSync(file, words, { stdio: 'inherit' });
const answer = await fetch(`${process.env.TABULARIUM_URL}/_tabularium/branches`);
const { branches } = await answer.json();
if (branches.length > 0) console.error(`branches are left: ${branches.map(({ account }) => account).join(', ')}`);
process.exitCode = branches.length > 0 ? 1 : (status ?? 1);
