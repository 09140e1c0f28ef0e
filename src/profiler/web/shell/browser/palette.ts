// The command palette: finds panels, pages, routes and records by a few letters. Without scripts, the search box
// remains.
{
  interface Choice {
    readonly name: string;
    readonly kind: string;
    readonly href: string;
  }

  /** The `search.json` row fields that are used here. */
  interface FoundRow {
    readonly token: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly route: string | null;
  }

  const maxMatches = 12;
  const dialog = document.querySelector<HTMLDialogElement>('dialog.palette');
  const input = dialog?.querySelector('input');
  const list = dialog?.querySelector('ul');

  const pages = (): Choice[] =>
    [...document.querySelectorAll<HTMLAnchorElement>('.menu a, .bar-top nav a, .title-line nav a')].map(
      (link) => ({
        name: (link.querySelector('.name') ?? link).textContent.trim(),
        kind: link.closest('nav')?.getAttribute('aria-label') ?? '',
        href: link.href,
      }),
    );

  /** Finds records whose URL contains the text, and their routes. */
  const search = async (text: string, base: string): Promise<Choice[]> => {
    const answer = await fetch(`${base}search.json?limit=8&q=${encodeURIComponent(JSON.stringify(text))}`);
    if (!answer.ok) return [];
    const { rows = [] } = (await answer.json()) as { rows?: FoundRow[] }; // a response from this server
    const routes = new Set(rows.flatMap(({ route }) => route ?? []));
    return [
      ...[...routes].map((route) => ({
        name: route,
        kind: 'route',
        href: `${base}?route=${encodeURIComponent(route)}`,
      })),
      ...rows.map(({ token, method, path, status }) => ({
        name: `${method} ${path}`,
        kind: `${status} ${token}`,
        href: base + token,
      })),
    ];
  };

  /** Ranks names with a word that begins with the text first; among those, paths before pages. */
  const ranked = (choices: readonly Choice[], text: string): Choice[] => {
    const escaped = text.replace(/[^\w]/g, '\\$&');
    const rank = ({ name }: Choice): number =>
      new RegExp(`^\\w+ /${escaped}`, 'i').test(name)
        ? 0
        : new RegExp(`\\b${escaped}`, 'i').test(name)
          ? 1
          : 2;
    return choices.toSorted((one, other) => rank(one) - rank(other));
  };

  if (dialog && input && list) {
    const base = dialog.dataset['list'] ?? '';
    let asked = 0;

    const show = (choices: readonly Choice[]): void =>
      list.replaceChildren(
        ...choices.slice(0, maxMatches).map(({ name, kind, href }) => {
          const [item, link, note] = [
            document.createElement('li'),
            document.createElement('a'),
            document.createElement('small'),
          ];
          note.textContent = kind;
          link.href = href;
          link.append(name, note);
          item.append(link);
          return item;
        }),
      );

    const find = async (): Promise<void> => {
      const text = input.value.trim();
      const own = ++asked;
      const known = pages().filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
      if (text === '') return show(known);
      const last = {
        name: `Search requests for “${text}”`,
        kind: '',
        href: `${base}?q=${encodeURIComponent(text)}`,
      };
      show([...ranked(known, text), last]);
      const found = await search(text, base).catch(() => []);
      if (own === asked && found.length > 0)
        show([...ranked([...known, ...found], text).slice(0, maxMatches - 1), last]);
    };

    input.addEventListener('input', () => void find());
    input.addEventListener('focus', () => void find());
    dialog.addEventListener('close', () => (input.value = ''));
    // The arrow keys move through the choices; the input counts as the first, so that Enter opens it.
    dialog.addEventListener('keydown', (event) => {
      const links = [...list.querySelectorAll('a')];
      const at = Math.max(
        0,
        links.findIndex((link) => link === document.activeElement),
      );
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) (links[at + step] ?? input).focus();
      else if (event.key === 'Enter' && event.target === input) links[0]?.click();
      else return;
      event.preventDefault();
    });
  }
}
