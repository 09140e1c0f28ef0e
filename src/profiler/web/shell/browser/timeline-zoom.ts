// Zooms a timeline by dragging over its bars or with its buttons. The times in the table do not change.
const zoomSheet = new CSSStyleSheet();
zoomSheet.replaceSync(`.zoom { margin-inline-start: 12px; white-space: nowrap; }
  .zoom button { font: inherit; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 4px; background: none; color: var(--muted); cursor: pointer; } .zoom button:hover { background: var(--hover); color: var(--text); }`);
document.adoptedStyleSheets.push(zoomSheet);
for (const timeline of document.querySelectorAll<HTMLElement>('[data-timeline]')) {
  const total = Number(timeline.dataset['timeline']);
  const whole = { from: 0, to: 1 };
  let view = whole;
  let begun: number | undefined;
  let isDrag = false;

  const show = (from: number, to: number): void => {
    const width = Math.min(Math.max(to - from, 0.001), 1);
    const start = Math.min(Math.max(from, 0), 1 - width);
    view = { from: start, to: start + width };
    for (const picture of timeline.querySelectorAll('.track svg'))
      picture.setAttribute('viewBox', `${view.from * 1000} 0 ${width * 1000} 14`);
    const marks = timeline.querySelectorAll('[data-scale] span');
    for (const [at, mark] of [...marks].entries()) {
      const ms = (view.from + (width * at) / (marks.length - 1)) * total;
      mark.textContent = ms === 0 ? '0' : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
    }
  };

  /** Returns the pointer's position as a share of the total time; undefined outside the bars. */
  const placeOf = (event: PointerEvent): number | undefined => {
    const box = timeline.querySelector('td.track')?.getBoundingClientRect();
    if (box === undefined || event.clientX < box.left || event.clientX > box.right) return undefined;
    return view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
  };

  timeline.addEventListener('pointerdown', (event) => {
    isDrag = false;
    begun = event.button === 0 ? placeOf(event) : undefined;
  });
  timeline.addEventListener('pointerup', (event) => {
    const end = placeOf(event);
    if (begun === undefined || end === undefined) return;
    isDrag = Math.abs(end - begun) > (view.to - view.from) / 50;
    if (isDrag) show(Math.min(begun, end), Math.max(begun, end));
  });
  timeline.addEventListener('dragstart', (event) => event.preventDefault());
  timeline.addEventListener(
    'click',
    (event) => {
      if (isDrag) event.preventDefault();
      isDrag = false;
      const button =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-zoom]') : null;
      const { from, to } = view;
      const quarter = (to - from) / 4;
      if (button?.dataset['zoom'] === 'in') show(from + quarter, to - quarter);
      if (button?.dataset['zoom'] === 'out') show(from - 2 * quarter, to + 2 * quarter);
      if (button?.dataset['zoom'] === 'left') show(from - quarter, to - quarter);
      if (button?.dataset['zoom'] === 'right') show(from + quarter, to + quarter);
    },
    true,
  );
}
