import { checkInput, readStrings } from '../../verbs/check-input.js';
import { type AnyVerb, Refusal, type VerbServer } from '../../verbs/verb.js';
import { routeOf } from '../../verbs/verb-row.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';
import { type ControlRequest, type ControlRow, ndjson } from '../control-row.js';
import { answerObject } from './answer-object.js';

/** Returns the row of a verb: it checks the input, runs the verb and sends its answer. */
export function verbRow(verb: AnyVerb, server: VerbServer): ControlRow {
  const [method, path] = routeOf(verb);
  const hasBody = method === 'POST' || method === 'PUT';
  const [namelessField] = hasBody ? [] : (verb.words ?? []);
  return {
    method,
    path: `${controlRoot}${path}`,
    purpose: verb.does,
    takesQuery: true,
    ...(namelessField !== undefined && !path.includes(`{${namelessField}}`) && { namelessField }),
    ...(hasBody && { takes: verb.uploads ? ('upload' as const) : ('json' as const) }),
    ...(verb.isOpen && { isOpen: true as const }),
    ...(hasBody && verb.changes === 'nothing' && { isForReaders: true as const }),
    // Its answer costs as much as that to GET.
    ...(method === 'GET' && !verb.isOpen && { refusesHead: true as const }),
    async run(request) {
      const asked = verb.isOpen ? {} : checkInput(verb, inputOf(verb, request, hasBody && !verb.uploads));
      if (verb.sends === 'lines')
        return { status: 200, contentType: ndjson, body: await verb.run(server, asked, request) };
      if (verb.sends !== 'file') {
        const answer = (await verb.run(server, asked, request)) as object;
        return { ...answerObject(answer), ...(verb.statusOf && { status: verb.statusOf(answer) }) };
      }
      const { name, ...file } = await verb.run(server, asked, request);
      const disposition = name === undefined ? undefined : `attachment; filename="${name}"`;
      return {
        status: 200,
        ...file,
        ...(disposition !== undefined && { headers: { 'Content-Disposition': disposition } }),
      };
    },
  };
}

/** Returns the fields of a request: those of its path, and those of its body or its query. Errors: Refusal. */
function inputOf(verb: AnyVerb, { query, body, params }: ControlRequest, hasBody: boolean): unknown {
  const [first] = query.keys();
  if (hasBody) {
    if (first !== undefined) throw new Refusal(400, `There is no query '${first}'. Send fields as a JSON body.`);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const twice = Object.keys(params).find((name) => Object.hasOwn(body, name));
    if (twice !== undefined) throw new Refusal(400, `'${twice}' is in the path. Leave it out of the body.`);
    return { ...body, ...params };
  }
  const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1 || Object.hasOwn(params, name));
  if (repeated !== undefined) throw new Refusal(400, `'${repeated}' is there more than once.`);
  return readStrings(verb, { ...Object.fromEntries(query), ...params });
}
