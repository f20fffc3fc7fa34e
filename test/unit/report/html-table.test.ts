import { describe, expect, it } from 'vitest';
import { htmlTable, plainList, withSmall } from '../../../src/report/html-table.ts';

describe('a table in HTML', () => {
  it('is headed by column and by row, and names each cell for a narrow screen', () => {
    const table = String(htmlTable('About', ['what', 'a "b"'], [['x', '<1>']]));
    expect(table).toMatch(/<caption>\s*About\s*<\/caption>/);
    expect(table).toContain('<th scope="col">what</th>');
    expect(table).toContain('<th scope="row">x</th>');
    expect(table).toContain('<td data-label="a &quot;b&quot;">&lt;1&gt;</td>');
  });

  it('leaves an empty cell without a name', () => {
    expect(String(htmlTable('About', ['what', 'b'], [['x', '']]))).toContain('<td></td>');
  });

  it('is nothing without rows', () => {
    expect(htmlTable('About', ['what'], [])).toBeNull();
  });
});

it('a list has its title, and is nothing when it is empty', () => {
  expect(String(plainList('Warnings', ['<a>']))).toMatch(/<p>Warnings:<\/p>\s*<ul class="plain">\s*<li>&lt;a&gt;<\/li>/);
  expect(plainList('Warnings', [])).toBeNull();
});

it('a small line is escaped like any text', () => {
  expect(String(withSmall('a', '<b>'))).toMatch(/^a\s+<div class="small soft">&lt;b&gt;<\/div>$/);
});
