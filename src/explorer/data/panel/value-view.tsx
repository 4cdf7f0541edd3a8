import { useState } from 'preact/hooks';
import { agoOf, base64Of, bytesOfBase64, formatJson, hexLines } from '../../base/readable.js';
import type { Value } from '../../base/value.js';
import { clock } from '../../model/conditions.js';
import { mayEdit } from '../../model/identities.js';
import { showError } from '../../model/notices.js';
import { saveAnswer } from '../../wire/control-client.js';

/** A value in a second form, below its text: JSON with indents, bytes in hexadecimal, a date in the local time. */
export function ValueView(props: {
  readonly name: string;
  readonly value: Value;
  readonly onLoad: (text: string) => void;
}) {
  const { name, value, onLoad } = props;
  const { type, text } = value;
  if (type === 'Edm.DateTime') return <LocalTime text={text} />;
  if (type === 'Edm.Binary') return <Bytes name={name} bytes={bytesOfBase64(text)} onLoad={onLoad} />;
  const json = type === 'Edm.String' ? formatJson(text) : undefined;
  return json === undefined ? null : <Second title="Formatted JSON">{() => json}</Second>;
}

/** A second form that is written when it is opened: it can be long. */
function Second(props: { readonly title: string; readonly children: () => string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="viewed" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{props.title}</summary>
      {isOpen && <pre>{props.children()}</pre>}
    </details>
  );
}

function LocalTime({ text }: { readonly text: string }) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return null;
  const { now, frozen, aheadMs } = clock.value ?? { now: '', frozen: false, aheadMs: 0 };
  const nowMs = frozen ? Date.parse(now) : Date.now() + aheadMs;
  return (
    <p class="viewed small">
      {at.toLocaleString('en-GB')} here, {agoOf(at.getTime(), nowMs)}
    </p>
  );
}

function Bytes(props: {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly onLoad: (text: string) => void;
}) {
  const { name, bytes, onLoad } = props;
  return (
    <div class="viewed">
      {bytes && (
        <>
          <Second title={`${bytes.length.toLocaleString('en')} bytes`}>{() => hexLines(bytes)}</Second>
          <button type="button" onClick={() => saveAnswer(new Response(bytes), `${name}.bin`).catch(showError)}>
            Save to a file
          </button>
        </>
      )}
      {mayEdit.value && (
        <input
          type="file"
          aria-label={`Load ${name} from a file`}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            file?.bytes().then((read) => onLoad(base64Of(read)), showError);
          }}
        />
      )}
    </div>
  );
}
