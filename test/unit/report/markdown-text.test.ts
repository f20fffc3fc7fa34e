import { describe, expect, it } from 'vitest';
import { codeSpan, escapeMarkdown, markdownTable } from '../../../src/report/markdown-text.ts';

describe('text in Markdown', () => {
  it.each([
    ['a|b', String.raw`a\|b`],
    ['**bold** `code`', String.raw`\*\*bold\*\* \`code\``],
    ['[x](javascript:alert(1))', String.raw`\[x\](javascript:alert(1))`],
    ['![x](http://e)', String.raw`!\[x\](http&#58;//e)`],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a & b', 'a &amp; b'],
    ['# heading', String.raw`\# heading`],
    ['- item', String.raw`\- item`],
    ['1. item', String.raw`1\. item`],
    ['3.11.2', '3.11.2'],
    ['_emphasis_', String.raw`\_emphasis\_`],
    ['breast_cancer', 'breast_cancer'],
    ['~~gone~~ $x$', String.raw`\~\~gone\~\~ \$x\$`],
    ['see https://e.org and www.e.org, @you', 'see https&#58;//e.org and www&#46;e.org, &#64;you'],
    ['two\n\n# lines', 'two # lines'],
    [String.raw`back\slash`, String.raw`back\\slash`],
  ])('keeps %j as text', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe('a code span', () => {
  it.each(['model.depth 3 → 7', 'features.scaler = min-max', 'a+b', '–'])('holds keys and values: %s', (text) => {
    expect(codeSpan(text)).toBe(`\`${text}\``);
  });

  it.each(['a `` b', 'a|b', '<script>', '[x](y)', 'a & b', String.raw`a\b`])(
    'does not hold %j, which is escaped instead',
    (text) => {
      expect(codeSpan(text)).toBe(escapeMarkdown(text));
    },
  );

  it('is nothing for nothing', () => {
    expect(codeSpan(' \n')).toBe('');
  });
});

describe('a table', () => {
  it('has a head, a rule and its rows', () => {
    expect(markdownTable(['a', 'b'], [['1', '2']])).toEqual(['| a | b |', '| --- | --- |', '| 1 | 2 |', '']);
  });

  it('is nothing without rows', () => {
    expect(markdownTable(['a'], [])).toEqual([]);
  });
});
