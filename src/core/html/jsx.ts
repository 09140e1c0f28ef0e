/** The JSX runtime, for `"jsxImportSource": "lookback"`: its elements are preact's, for `renderDocument` and `html`. */
import type * as Preact from 'preact';

export { Fragment, jsx, jsxDEV, jsxs } from 'preact/jsx-runtime';
export type { JSX } from 'preact';

/** An element of JSX, as a component returns it. */
export type VNode = Preact.VNode;

/** What an element may contain: elements, text, numbers, and lists of them. */
export type ComponentChildren = Preact.ComponentChildren;
