import type { HttpRequest } from 'lookback';
import type { Security } from 'lookback/security';

/** A text submitted in a form after the session had ended: carried through the login, back to that form. */
export interface KeptText {
  /** Path of the page with the form. */
  readonly page: string;
  readonly fields: Readonly<Record<string, string>>;
}

type Form = Awaited<ReturnType<HttpRequest['form']>>;

const key = 'kept text';
/** The only fields that are ever kept. */
const names = ['title', 'body', 'text', 'article', 'basis'] as const;
const prefix = 'kept_';
const maxTextLength = 50_000;

/** Reads a form's text, to keep it for its page; `too long` if it exceeds the session's size limit. */
export function readWritten(form: Form, page: string): KeptText | 'too long' {
  return read(form, page, '');
}

/** Reads the kept text from the hidden fields of the login form. Undefined if there is no valid one. */
export function readCarried(form: Form): KeptText | undefined {
  const page = form.get('_target_path') ?? '';
  if (page.length > 1000 || !/^\/(?:en|fr|de)\/articles\/[\w%.~-]+(?:\/edit)?$/.test(page)) return undefined;
  const kept = read(form, page, prefix);
  return kept === 'too long' || Object.keys(kept.fields).length === 0 ? undefined : kept;
}

/** The login form's hidden fields that carry it. */
export function hiddenFields({
  page,
  fields,
}: KeptText): readonly (readonly [name: string, value: string])[] {
  return [
    ['_target_path', page],
    ...Object.entries(fields).map(([name, value]) => [prefix + name, value] as const),
  ];
}

/** Keeps the text in the session of the user who has just logged in: one at a time. */
export async function keepText(security: Security, request: HttpRequest, kept: KeptText): Promise<void> {
  (await security.session(request)).set(key, kept);
}

/** Returns the kept text, if it is for this form; only once. */
export async function takeText(
  security: Security,
  request: HttpRequest,
  isFor: (kept: KeptText) => boolean,
): Promise<KeptText | undefined> {
  const view = await security.viewSession(request);
  const kept = view?.get<KeptText>(key);
  if (kept === undefined || !isFor(kept)) return undefined;
  (await security.session(request)).delete(key);
  return kept;
}

function read(form: Form, page: string, before: string): KeptText | 'too long' {
  const fields: Record<string, string> = {};
  let length = 0;
  for (const name of names) {
    const value = form.get(before + name);
    if (typeof value !== 'string') continue;
    fields[name] = value;
    length += value.length;
  }
  return length > maxTextLength ? 'too long' : { page, fields };
}
