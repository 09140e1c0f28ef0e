import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseStyles } from './base-styles.js';

type Colour = readonly [red: number, green: number, blue: number];

const themes = ['light', 'dark'] as const;
const categories = ['c-framework', 'c-app', 'c-database', 'c-http', 'c-rendering'];

/** A token's colour as linear light. */
function colourOf(token: string, theme: (typeof themes)[number]): Colour {
  const pair = new RegExp(`--${token}: ?light-dark\\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\\)`).exec(
    baseStyles.text,
  );
  const hex = pair?.[theme === 'light' ? 1 : 2];
  assert.ok(hex !== undefined, `no token ${token}`);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

/** Contrast as defined by WCAG 2.2. */
function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [one, other]
    .map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue)
    .toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

type Matrix = readonly [Colour, Colour, Colour];

function times(rows: Matrix, [x, y, z]: Colour): Colour {
  const [a = 0, b = 0, c = 0] = rows.map(([p, q, r]) => p * x + q * y + r * z);
  return [a, b, c];
}

/** How dichromats see colours (Machado, Oliveira and Fernandes, 2009). */
const simulations: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function toOklab(colour: Colour): Colour {
  const [l, m, s] = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  ).map((value) => Math.cbrt(Math.max(value, 0)));
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [l ?? 0, m ?? 0, s ?? 0],
  );
}

describe('colours', () => {
  it('of text and controls have sufficient contrast, on the page and its surfaces', () => {
    for (const theme of themes)
      for (const ground of ['page', 'surface']) {
        const needs = (tokens: readonly string[], least: number): void => {
          for (const token of tokens) {
            const found = contrast(colourOf(token, theme), colourOf(ground, theme));
            assert.ok(found >= least, `${token} on ${ground}, ${theme}: ${found.toFixed(2)}`);
          }
        };
        needs(['text', 'muted', 'ok', 'warn', 'err'], 4.5);
        needs(['control', ...categories], 3);
      }
  });

  it('of tinted backgrounds keep their text readable', () => {
    for (const theme of themes)
      for (const token of ['ok', 'warn', 'err']) {
        const found = contrast(colourOf(token, theme), colourOf(`${token}-tint`, theme));
        assert.ok(found >= 4.5, `${token} on its tint, ${theme}: ${found.toFixed(2)}`);
      }
  });

  it('of kinds of work are distinguishable with colour blindness', () => {
    const pairs = categories.flatMap((one, at) =>
      categories.slice(at + 1).map((other) => [one, other] as const),
    );
    for (const theme of themes)
      for (const [name, matrix] of Object.entries(simulations)) {
        const seen = (token: string): Colour => toOklab(times(matrix, colourOf(token, theme)));
        const distances = pairs.map(([one, other]) =>
          Math.hypot(...seen(one).map((value, axis) => value - (seen(other)[axis] ?? 0))),
        );
        const least = Math.min(...distances);
        const nearest = pairs[distances.indexOf(least)]?.join(' and ');
        assert.ok(least >= 0.08, `${nearest}, ${name}, ${theme}: ${least.toFixed(3)}`);
      }
  });
});
