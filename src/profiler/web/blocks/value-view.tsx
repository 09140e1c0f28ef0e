import { say } from '#core/phrases';
import type { ComponentChildren, VNode } from 'preact';
import { SnapshotView } from '#core/dump';
import { CountBars, Differences, editorSchemes } from '#core/errors';
import { safeUrl } from '#core/html';
import type { RichValue, Value } from '../../view/block.js';
import { formatAge, isoTime } from '../../model/formatting.js';
import { isSqlKeyword, sqlTokens } from '../../sections/database/format-sql.js';
import { CategoryMark, percent } from './request-bar.js';

const clipCharacters = 320;
const clipLines = 4;

/** One value: text, link, time, number or tree. Long text is folded, never truncated. */
export function ValueView({ value }: { value: Value }): VNode {
  if (typeof value === 'object') return <RichView value={value} />;
  return <Text text={String(value)} />;
}

/** Joins the applicable class names for an attribute. */
export function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  const shown = names.filter((name) => name !== false && name !== undefined);
  return shown.length === 0 ? undefined : shown.join(' ');
}

function RichView({ value }: { value: RichValue }): VNode {
  const { mono, muted, isLine, tone = 'neutral', category, change, share, copy, text } = value;
  const hasTone = tone !== 'neutral';
  const look = classes(
    'value',
    mono && 'mono',
    muted && 'muted',
    isLine && 'line',
    hasTone && `tone-${tone}`,
  );
  return (
    <span class={look} title={isLine && text}>
      {category !== undefined && change === undefined && share === undefined && (
        <CategoryMark category={category} />
      )}
      <Inner value={value} />
      {copy === true && <CopyButton text={text} label="Copy" />}
      {share !== undefined && (
        <svg class="share" aria-hidden="true">
          <rect class={`c-${category ?? 'app'}`} width={percent(share * 100)} height="6" />
        </svg>
      )}
    </span>
  );
}

function Inner({ value }: { value: RichValue }): VNode {
  if (value.snapshot !== undefined) return <SnapshotView snapshot={value.snapshot} />;
  if (value.time !== undefined) return <Time at={value.time} />;
  if (value.bars !== undefined) return <CountBars counts={value.bars} label={value.text} />;
  if (value.differences !== undefined)
    return (
      <span class="text">
        <Differences differences={value.differences} />
      </span>
    );
  if (value.change !== undefined) return <ChangeBar value={value} {...value.change} />;
  if (value.href !== undefined)
    return <a href={safeUrl(value.href, [...editorSchemes, value.scheme ?? ''])}>{value.text}</a>;
  return value.isSql === true && value.text.length <= clipCharacters ? (
    <span class="text">
      <SqlText sql={value.text} />
    </span>
  ) : (
    <Text text={value.text} />
  );
}

/** A statement whose keywords are highlighted. */
export function SqlText({ sql }: { sql: string }): VNode {
  return <>{sqlTokens(sql).map((token) => (isSqlKeyword(token) ? <b>{token.text}</b> : token.text))}</>;
}

/** Two bars on one scale: before in grey, after in the category's colour. Their figures are in the same row. */
function ChangeBar(props: { value: RichValue; before: number; after: number }): VNode {
  const { value, before, after } = props;
  return (
    <svg class="change" aria-hidden="true">
      <rect class="was" y="7" width={percent(before * 100)} />
      <rect class={`c-${value.category ?? 'app'}`} y="16" width={percent(after * 100)} />
    </svg>
  );
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

/** Isolates the text direction within parts of a line, such as a compared row's cells. */
function isolated(text: string): ComponentChildren {
  return rightToLeft.test(text) ? text.split(/( · )/).map((part) => <bdi dir="ltr">{part}</bdi>) : text;
}

/** A time in UTC, which the page's script converts to the reader's time zone. */
export function Time({ at, isClock = false }: { at: number; isClock?: boolean }): VNode {
  const iso = isoTime(at);
  return (
    <time dateTime={iso} data-local={isClock ? 'clock' : ''}>
      {isClock ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`}
    </time>
  );
}

/** A time's age, which the page's script keeps up to date. */
export function Age({ at, now }: { at: number; now: number }): VNode {
  return (
    <time dateTime={isoTime(at)} data-age="">
      {formatAge(now - at)}
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
