import { expect, it } from 'vitest';
import { tableLines } from '../../../../src/cli/text/table.ts';

it('aligns columns and leaves no blanks at the end', () => {
  expect(
    tableLines([
      ['a', 'bbb', 'c'],
      ['aaaa', '', ''],
      ['a', 'b', 'cccc'],
    ]),
  ).toEqual(['a     bbb  c', 'aaaa', 'a     b    cccc']);
});

it('makes nothing of nothing', () => {
  expect(tableLines([])).toEqual([]);
});
