/**
 * Fills in `{name}` placeholders, numbers with thousands separators; in texts with `|`, `n` selects singular or plural.
 */
export function say(text: string, values: Readonly<Record<string, string | number>>): string {
  const count = values['n'];
  const [one = '', many = ''] = text.split('|', 2);
  const form = typeof count === 'number' && text.includes('|') ? (count === 1 ? one : many) : text;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'number' ? value.toLocaleString('en') : (value ?? whole);
  });
}
