/** A variable with its separator: a requirement in it may hold one level of braces, as in `{id<[0-9]{4}>}`. */
const variable = /([/,;.:\-_~+*=@|]?)\{!?([A-Za-z_]\w*)(?:[^\w{}](?:[^{}]|\{[^{}]*\})*)?\}/g;

/** The path of a route with its variables filled in; one that is left out takes its separator along. */
export function renderTarget(path: string, values: Readonly<Record<string, unknown>>): string {
  const target = path.replaceAll(variable, (_whole, separator: string, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) return '';
    return separator + encodeURIComponent(textOf(value));
  });
  return target === '' ? '/' : target;
}

/** A query as the framework reads it: lists as repeated names, objects as `a[b]`; what is undefined is left out. */
export function renderSearchString(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) append(query, name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function append(query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    const key = value.length === 1 ? `${name}[]` : name; // one alone would be read as a text
    for (const item of value) query.append(key, textOf(item));
  } else if (typeof value === 'object' && !(value instanceof Date)) {
    for (const [key, inner] of Object.entries(value)) append(query, `${name}[${key}]`, inner);
  } else query.append(name, textOf(value));
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value as string | number | boolean); // what a URL can carry
}
