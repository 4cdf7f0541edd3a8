import { keepToken } from '../client/control-client.js';
import { renewSession } from './session.js';

/** Asks for the token of the server, before anything else is asked for. */
export function TokenForm() {
  return (
    <main class="centered">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(String(new FormData(event.currentTarget).get('token') ?? '').trim());
          void renewSession();
        }}
      >
        <h1>This server requires a token</h1>
        <p>
          It was printed when the server started, or it is in <code>TABULARIUM_ADMIN_TOKEN</code>. The page keeps it
          until this tab of the browser is closed.
        </p>
        <label>
          Token
          <input name="token" type="password" required autocomplete="off" autofocus />
        </label>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}
