import { say } from '#phrases';
import type { ComponentChildren, VNode } from 'preact';
import { PictureView } from '#dump';
import { editorSchemes } from '#errors';
import { safeUrl } from '#html';
import type { RichValue, Value } from '../../panels/blocks/block.js';
import { isoTime } from '../../words/format.js';

const clipCharacters = 320;
const clipLines = 4;

/** One value: text, link, time, number or tree. Long text is folded, never truncated. */
export function ValueView({ value }: { value: Value }): VNode {
  if (typeof value === 'object') return <RichView value={value} />;
  return <Text text={String(value)} />;
}

function RichView({ value }: { value: RichValue }): VNode {
  const classes = [
    'value',
    value.mono === true ? 'mono' : '',
    value.muted === true ? 'muted' : '',
    value.tone === undefined || value.tone === 'neutral' ? '' : `tone-${value.tone}`,
  ];
  return (
    <span class={classes.filter((name) => name !== '').join(' ')}>
      <Inner value={value} />
      {value.copy === true && <CopyButton text={value.text} label="Copy" />}
    </span>
  );
}

function Inner({ value }: { value: RichValue }): VNode {
  if (value.picture !== undefined) return <PictureView picture={value.picture} />;
  if (value.time !== undefined) return <Time at={value.time} />;
  if (value.href !== undefined)
    return <a href={safeUrl(value.href, [...editorSchemes, value.scheme ?? ''])}>{value.text}</a>;
  return <Text text={value.text} />;
}

function Text({ text }: { text: string }): VNode {
  if (text === '') return <span class="muted">empty</span>;
  if (text.length <= clipCharacters && text.split('\n', clipLines + 1).length <= clipLines)
    return <span class="text">{isolated(text)}</span>;
  const head = text.split('\n', clipLines).join('\n').slice(0, clipCharacters);
  return (
    <details class="long">
      <summary>
        <span class="text">{head}</span>
        <span class="more"> … {say('{n} character|{n} characters', { n: text.length })}</span>
      </summary>
      <span class="text">{text}</span>
    </details>
  );
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** Isolates the text direction of the parts of a line, such as the cells of a compared row. */
function isolated(text: string): ComponentChildren {
  return rightToLeft.test(text) ? text.split(/( · )/).map((part) => <bdi dir="ltr">{part}</bdi>) : text;
}

/** A time, in UTC until the page's script converts it to the reader's time zone. */
export function Time({ at, isClock = false }: { at: number; isClock?: boolean }): VNode {
  const iso = isoTime(at);
  return (
    <time dateTime={iso} data-local={isClock ? 'clock' : ''}>
      {isClock ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`}
    </time>
  );
}

/** A copy button, shown only if the page's script runs. */
export function CopyButton(props: { text: string; label: string; shortcut?: string }): VNode {
  const { text, label, shortcut } = props;
  return (
    <button type="button" class="copy" data-copy={text} data-key={shortcut} hidden>
      {label}
    </button>
  );
}
