import { useSignal } from '@preact/signals';
import { renewSession } from '../model/session.js';
import { onFields } from '../parts/form.js';
import { keepToken, needsToken } from '../wire/control-client.js';

/** Asks the user for the token of the server. */
export function TokenForm() {
  const isTokenWrong = useSignal(false);
  return (
    <main class="columns">
      <form
        class="card"
        onSubmit={onFields((textOf) => {
          isTokenWrong.value = false;
          keepToken(textOf('token'));
          void renewSession().then(() => (isTokenWrong.value = needsToken.value));
        })}
      >
        <h1>This server requires a token</h1>
        <p>
          It was printed when the server started, or it is in <code>TABULARIUM_ADMIN_TOKEN</code>. The page keeps it
          until this tab of the browser is closed.
        </p>
        <label>
          Token
          <input name="token" type="password" required autocomplete="off" autofocus aria-describedby="wrong-token" />
        </label>
        <p id="wrong-token" class="fault" role="alert">
          {isTokenWrong.value && 'The server does not accept this token.'}
        </p>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}
