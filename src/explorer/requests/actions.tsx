import { useSignal } from '@preact/signals';
import type { ShownRequest } from '../../client/calls.js';
import { commandLine } from '../../command-line.js';
import { shellWord } from '../../protocol/shell-word.js';
import { mayEdit } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { hrefOf, route } from '../model/route.js';
import { sendToAccount } from '../model/service.js';
import { copyText } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { serverRoot } from '../wire/host.js';
import { ServiceError, type ServiceRequest } from '../wire/table-client.js';
import { Content } from './content.js';
import { filterOf, tableOf } from './rows.js';

/** Sends the request again, copies it, or leads to its query. */
export function Actions({ shown }: { readonly shown: ShownRequest }) {
  const answer = useSignal<Awaited<ReturnType<typeof sendAgain>>>(undefined);
  const { request, curl } = shown;
  const { AccountName: account } = request;
  const [item, filter] = [tableOf(request), filterOf(request)];
  const params = new Map(filter === undefined ? [] : [['filter', filter]]);
  const copyCurl = () => {
    const options = account === undefined ? '' : ` --account ${shellWord(account)}`;
    return copyText(`SAS=$(${commandLine(`sas${options}`, serverRoot)} | cut -d'?' -f2)\n${curl}`, 'curl');
  };
  const resend = async () => {
    answer.value = (await sendAgain(shown)) ?? answer.value;
  };
  return (
    <>
      <div class="line">
        {account !== undefined && (request.Method === 'GET' || mayEdit.value) && (
          <button
            type="button"
            disabled={!isWhole(shown)}
            title={isWhole(shown) ? undefined : 'Its body is not kept completely'}
            onClick={() => resend().catch(showError)}
          >
            Send again
          </button>
        )}
        <button type="button" onClick={() => copyCurl().catch(showError)}>
          <Icon name="copy" />
          Copy as curl (sh)
        </button>
        {item !== undefined && (
          <a href={hrefOf({ account, tab: 'data', item, params })}>
            {request.OperationName === 'QueryEntities' ? 'Open this query' : `Open ${item}`}
          </a>
        )}
      </div>
      {!shown.requestHeaders && (
        <p class="small">
          Its headers and bodies are not kept, so a write cannot be sent again. A server with{' '}
          <code>--journalBodies</code> keeps them.
        </p>
      )}
      {answer.value && (
        <div role="status">
          <Content title={answer.value.status} body={answer.value.text}>
            {answer.value.requestId !== undefined && (
              <a href={hrefOf({ item: answer.value.requestId, params: route.value.params })}>The new request</a>
            )}
          </Content>
        </div>
      )}
    </>
  );
}

/** The headers that are sent again. The others belong to the connection, to the client or to the signature. */
const repeated =
  /^(?:accept|content-type|(?:max)?dataserviceversion|if-match|if-none-match|prefer|x-http-method|x-ms-version)$/;

/** Whether a request can be sent again as it was. Its body may be cut, or had a secret. */
function isWhole({ request, requestHeaders, requestBody = '' }: ShownRequest): boolean {
  if (request.Method === 'GET') return true;
  return requestHeaders !== undefined && new TextEncoder().encode(requestBody).length === request.RequestBodySize;
}

/**
 * Sends a request again, with the credential of the page. Asks the user before a write, and returns undefined if the user is not
 * sure. Errors: Unreachable; ControlError if there is no credential.
 */
async function sendAgain({ request, url, requestHeaders = [], requestBody }: ShownRequest) {
  const { Method, AccountName = '', OperationName = Method } = request;
  const { pathname, search } = new URL(url);
  // The account may be in the host instead. A secondary endpoint has the same data.
  const path = pathname.replace(new RegExp(`^/${AccountName}(?:-secondary)?(?=/)`), '') + search;
  const isSure =
    Method === 'GET' ||
    (await ask(`Send ${OperationName} again?`, `${Method} ${path} changes data of ${AccountName}.`, 'Send again'));
  if (!isSure) return undefined;
  try {
    const answer = await sendToAccount(AccountName, path, {
      method: Method as NonNullable<ServiceRequest['method']>,
      headers: Object.fromEntries(
        requestHeaders.flatMap(({ name, value }) => (repeated.test(name) ? [[name, value]] : [])),
      ),
      ...(requestBody !== undefined && { body: requestBody }),
    });
    const requestId = answer.headers.get('x-ms-request-id') ?? undefined;
    return { status: `${answer.status} ${answer.statusText}`, text: await answer.text(), requestId };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: `${error.status} ${error.code}`, text: error.message, requestId: error.requestId };
  }
}
