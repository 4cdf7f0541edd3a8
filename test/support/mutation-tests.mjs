// Stands for vitest in a mutation run: collects the tests of the files that are loaded, and runs one of them when asked.
import { format } from 'node:util';
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import * as chai from 'chai';

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

export const { expect } = chai;

/** The suites around the one that is being collected, outermost first. */
let suites = [];
let tests = new Map();
let fileName = '';

/** Collects the tests that loading a file defines. Tests of the same title in one file get a number. */
export async function collect(file, load) {
  fileName = file;
  suites = [{ title: '', hooks: { beforeAll: [], beforeEach: [], afterAll: [] } }];
  await load();
}

/** Returns all tests by id, in the order in which they were collected. */
export function collectedTests() {
  return tests;
}

/** Forgets all tests. */
export function forgetTests() {
  tests = new Map();
}

/** Runs one test with the hooks around it. Throws if it fails. */
export async function runTest({ around, body }) {
  const hooks = (kind) => around.flatMap((suite) => suite.hooks[kind]);
  for (const hook of [...hooks('beforeAll'), ...hooks('beforeEach')]) await hook();
  try {
    await body();
  } finally {
    for (const hook of hooks('afterAll')) await hook();
  }
}

const addHook = (kind) => (hook) => suites.at(-1).hooks[kind].push(hook);
export const beforeAll = addHook('beforeAll');
export const beforeEach = addHook('beforeEach');
export const afterAll = addHook('afterAll');

export const describe = withCases((title, define) => {
  suites = [...suites, { title, hooks: { beforeAll: [], beforeEach: [], afterAll: [] } }];
  define();
  suites = suites.slice(0, -1);
});

export const it = withCases((title, body) => {
  const name = [...suites.map((suite) => suite.title), title].filter(Boolean).join(' ');
  let id = `${fileName}#${name}`;
  for (let count = 2; tests.has(id); count++) id = `${fileName}#${name} (${count})`;
  tests.set(id, { id, name: id.slice(fileName.length + 1), fileName, around: suites, body });
});

function withCases(define) {
  const each = (cases) => (title, body) => {
    for (const one of cases) {
      const values = Array.isArray(one) ? one : [one];
      define(titleOf(title, values), () => body(...values));
    }
  };
  const nothing = Object.assign(() => undefined, { each: () => () => undefined });
  const all = (title, body) => define(title, body);
  return Object.assign(all, { each, skipIf: (isSkipped) => (isSkipped ? nothing : all) });
}

function titleOf(title, values) {
  const named = title.replace(/\$(\w+)/g, (whole, name) =>
    name in Object(values[0]) ? String(values[0][name]) : whole,
  );
  const places = named.match(/%[sdijoO]/g)?.length ?? 0;
  return format(named, ...values.slice(0, places));
}
