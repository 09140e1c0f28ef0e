/** The JSX runtime for `"jsxImportSource": "lookback"`: creates preact elements, for `renderDocument` and `html`. */
import type * as Preact from 'preact';

export { Fragment, jsx, jsxDEV, jsxs } from 'preact/jsx-runtime';
export type { JSX } from 'preact';

/** A JSX element, as returned by a component. */
export type VNode = Preact.VNode;

/** An element's children: elements, text, numbers, and lists of these. */
export type ComponentChildren = Preact.ComponentChildren;
