import type { IntlMessageFormat } from 'intl-messageformat';

type Element = ReturnType<IntlMessageFormat['getAst']>[number];
/** Renders a part of a message; undefined if the values do not allow it. */
type RenderPart = (elements: Element[]) => string | undefined;

/**
 * Renders as much of a message as the values allow. A value that is missing or cannot be formatted leaves its
 * placeholder (`{name}`); a plural or a selection without a usable value uses its last option, which is `other`.
 */
export function renderIncomplete(elements: readonly Element[], render: RenderPart): string {
  return elements.map((element) => renderElement(element, render)).join('');
}

function renderElement(element: Element, render: RenderPart): string {
  const whole = render([element]);
  if (whole !== undefined) return whole;
  if ('options' in element) {
    const chosen = chosenOption(element, render) ?? Object.keys(element.options).at(-1) ?? '';
    const parts = element.options[chosen]?.value ?? [];
    return renderIncomplete(
      parts.map((part) => countOf(part, element)),
      render,
    );
  }
  return 'value' in element ? `{${element.value}}` : '#';
}

type Choice = Extract<Element, { readonly options: unknown }>;

/** Finds the selected option in a plural or selection by formatting it with option names instead of texts. */
function chosenOption(element: Choice, render: RenderPart): string | undefined {
  const options = Object.fromEntries(
    Object.entries(element.options).map(([key, option]) => [
      key,
      { ...option, value: [{ type: 0, value: key }] },
    ]),
  );
  return render([{ ...element, options } as Element]); // the same element with other texts
}

/** A plural's `#` becomes its value, because it has no meaning outside the plural. */
function countOf(part: Element, element: Choice): Element {
  if ('value' in part) return part;
  return { type: 2, value: element.value, style: null } as Element; // a number without a style
}
