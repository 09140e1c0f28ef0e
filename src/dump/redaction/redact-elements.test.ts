import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { redactElements } from './redact-elements.js';

const clean = (text: string): string => redactElements(text, (name) => /^(?:\w+:)?password$/.test(name));

describe('XML without secrets', () => {
  it('loses the content of elements with a secret name, whatever stands in it', () => {
    for (const [text, shown] of [
      ['<a><password>x</password></a>', '<a><password>[redacted]</password></a>'],
      ['<password type="text">x<b>y</b></password>', '<password type="text">[redacted]</password>'],
      ['<s:password>x</s:password> and <b>y</b>', '<s:password>[redacted]</s:password> and <b>y</b>'],
      ['<password><![CDATA[</password>]]></password>', '<password>[redacted]</password>'],
      ['<password><password>x</password>y</password>z', '<password>[redacted]</password>z'],
    ] as const)
      assert.equal(clean(text), shown);
  });

  it('keeps what has no content, and what is hidden already', () => {
    for (const text of [
      '<password/>',
      '<password></password>',
      '<password> </password>',
      '<password>[redacted]</password>',
    ])
      assert.equal(clean(text), text);
  });

  it('that was cut off is hidden to its end, where it is a document and no prose', () => {
    assert.equal(clean('<a><password>x'), '<a><password>[redacted]');
    assert.equal(clean('expected Promise<password> here'), 'expected Promise<password> here');
  });

  it('never shows what stands in a secret element, and changes nothing without one', () => {
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<password>',
      '</password>',
      '<![CDATA[',
      ']]>',
      'text',
      '<',
      '>',
      '</',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(part, { maxLength: 12 }), (before, after) => {
        const open = before.filter((one) => !one.includes('CDATA')).join('');
        const text = `<x>${open}<password>GEHEIM</password>${after.join('')}`;
        assert.doesNotMatch(clean(text), /GEHEIM/, text);
        const harmless = [...before, ...after].filter((one) => !one.includes('password')).join('');
        assert.equal(clean(harmless), harmless);
      }),
    );
  });
});
