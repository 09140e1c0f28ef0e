// The command palette: finds panels, pages, routes and records by a few letters. Without scripts, the search box remains.
{
  interface Choice {
    readonly name: string;
    readonly kind: string;
    readonly href: string;
  }

  /** The fields of a row of `search.json` that are used here. */
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
    const { rows = [] } = (await answer.json()) as { rows?: FoundRow[] }; // a response of this server
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

  if (dialog && input && list) {
    const base = dialog.dataset['list'] ?? '';
    let shown: readonly Choice[] = [];
    let at = 0;
    let asked = 0;

    const mark = (next: number): void => {
      at = Math.min(Math.max(next, 0), shown.length - 1);
      for (const [index, item] of [...list.children].entries())
        item.setAttribute('aria-selected', String(index === at));
      list.children[at]?.scrollIntoView({ block: 'nearest' });
      input.setAttribute('aria-activedescendant', `palette-choice-${at}`);
    };

    const show = (choices: readonly Choice[]): void => {
      shown = choices.slice(0, maxMatches);
      list.replaceChildren(
        ...shown.map(({ name, kind }, index) => {
          const [item, note] = [document.createElement('li'), document.createElement('small')];
          note.textContent = kind;
          item.id = `palette-choice-${index}`;
          item.setAttribute('role', 'option');
          item.append(name, note);
          return item;
        }),
      );
      mark(0);
    };

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
      show([...known, last]);
      const found = await search(text, base).catch(() => []);
      if (own === asked && found.length > 0) show([...known, ...found.slice(0, maxMatches - 1), last]);
    };

    const open = (): void => {
      const choice = shown[at];
      if (choice) location.assign(choice.href);
    };

    input.addEventListener('input', () => void find());
    input.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) mark(at + step);
      else if (event.key === 'Enter') open();
      else return;
      event.preventDefault();
    });
    list.addEventListener('click', (event) => {
      const item = event.target instanceof Element ? event.target.closest('li') : null;
      if (item === null) return;
      mark([...list.children].indexOf(item));
      open();
    });
    addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (!dialog.open) dialog.showModal();
      void find();
    });
    dialog.addEventListener('close', () => (input.value = ''));
    dialog.addEventListener('opened', () => void find());
  }
}
