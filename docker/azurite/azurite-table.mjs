#!/usr/bin/env node
// The command `azurite-table`: Tabularium, which prints Azurite's lines because of this file's name.
await import(new URL('main.js', import.meta.resolve('tabularium')).href);
