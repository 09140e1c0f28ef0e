// In wide windows, records open in a pane next to the list. In narrow windows and without scripts, links open their
// page.
{
  const wide = matchMedia('(min-width: 1600px)');
  const list = document.querySelector('table.requests');

  const close = (): void => {
    for (const part of document.querySelectorAll('.pane, .pane-close')) part.remove();
    document.body.classList.remove('has-pane');
  };

  const paneIn = (body: HTMLElement): HTMLIFrameElement => {
    const known = document.querySelector<HTMLIFrameElement>('.pane');
    if (known) return known;
    const [pane, button] = [document.createElement('iframe'), document.createElement('button')];
    pane.className = 'pane';
    pane.title = 'Record';
    button.className = 'button pane-close';
    button.textContent = 'Close';
    button.addEventListener('click', close);
    body.classList.add('has-pane');
    body.append(pane, button);
    return pane;
  };

  const open = (link: HTMLAnchorElement): void => {
    for (const other of document.querySelectorAll('[data-row][aria-current]'))
      other.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    // `replace`, so that the browser's back button leaves the list instead of showing the previous record
    paneIn(document.body).contentWindow?.location.replace(link.href);
  };

  addEventListener('click', (event) => {
    if (!list || !wide.matches || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>('a[data-row]');
    if (!link) return;
    event.preventDefault();
    open(link);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) close();
  });
  wide.addEventListener('change', () => {
    if (!wide.matches) close();
  });
}
