import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, trusted } from '../../../src/report/html-text.ts';

describe('the html template', () => {
  it('escapes text in content and in attributes', () => {
    const hostile = `<img src=x onerror="alert('1')"> & more`;
    const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more';
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('takes its own results as they are, alone and in lists', () => {
    const inner = html`<b>${'<'}</b>`;
    expect(html`<p>${inner}${[inner, 'x', 1]}</p>`.toString()).toBe('<p><b>&lt;</b><b>&lt;</b>x1</p>');
  });

  it('prints nothing for null, and what is at the ends', () => {
    expect(html`${null}a${null}`.toString()).toBe('a');
    expect(html`${'x'}`.toString()).toBe('x');
    expect(html``.toString()).toBe('');
  });

  it('keeps the spaces around a text', () => {
    expect(html`a${' (b)'} c`.toString()).toBe('a (b) c');
  });

  it('takes trusted markup only by name', () => {
    expect(html`${trusted('<hr>')}${'<hr>'}`.toString()).toBe('<hr>&lt;hr&gt;');
  });

  it('lets no text open a tag or leave an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.toString()).not.toMatch(/[<>"']/);
      }),
    );
  });
});
